import { useRef } from 'preact/hooks'

interface TabsProps<Name extends string> {
  /** Accessible name. */
  readonly label: string
  readonly names: readonly Name[]
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

/** A tab list with arrow key navigation. */
export function Tabs<Name extends string>({ label, names, chosen, onChoose }: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null)
  const onKey = (event: KeyboardEvent): void => {
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = (names.indexOf(chosen) + step + names.length) % names.length
    onChoose(names[at] ?? chosen)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[at]?.focus()
  }
  return (
    <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={onKey}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
