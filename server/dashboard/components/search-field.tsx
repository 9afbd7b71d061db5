import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { useSettled } from './use-settled.ts'

interface SearchFieldProps {
  /** Accessible name. */
  readonly label: string
  readonly placeholder: string
  readonly value: string
  /** Called once the user pauses. */
  readonly onSearch: (text: string) => void
}

/** A search field of a list. Focused with `/`. */
export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const settled = useSettled(text.trim())
  const sent = useRef(value)
  useEffect(() => {
    if (settled === sent.current) return
    sent.current = settled
    onSearch(settled)
  }, [settled])
  useEffect(() => {
    // Changed from outside, such as by a link. What was sent must not replace what was typed since.
    if (value !== sent.current) setText((sent.current = value))
  }, [value])
  return (
    <label class="search">
      <Icon name="search" />
      <input
        type="search"
        placeholder={placeholder}
        aria-label={label}
        aria-keyshortcuts="/"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  )
}
