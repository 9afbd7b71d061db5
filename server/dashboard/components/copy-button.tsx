import { useEffect, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

const shownMs = 1600

interface CopyButtonProps {
  readonly text: string
  /** Accessible name, which begins with `Copy`. */
  readonly label: string
}

/** A button that copies text to the clipboard. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setIsCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <button
      type="button"
      class="copy"
      data-done={isCopied ? '' : undefined}
      aria-label={isCopied ? 'Copied' : label}
      title={isCopied ? 'Copied' : label}
      onClick={(event) => void copy(text, event.currentTarget).then(setIsCopied)}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  )
}

/** Copies text. Insecure contexts (plain HTTP) have no Clipboard API and use `execCommand`. */
async function copy(text: string, button: HTMLElement): Promise<boolean> {
  if (isSecureContext) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const area = document.createElement('textarea')
  area.value = text
  // Next to the button: while a modal dialog is open, nothing outside of it can be selected.
  button.after(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  button.focus()
  return isDone
}
