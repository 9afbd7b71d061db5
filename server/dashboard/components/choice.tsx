interface ChoiceProps {
  /** What is chosen, for screen readers. */
  readonly label: string
  /** What stands for all. */
  readonly all: string
  readonly names: readonly string[]
  /** Empty: all. */
  readonly chosen: string
  readonly onChoose: (name: string) => void
}

/** Narrows a list down to one kind; `/` leads to it. */
export function Choice({ label, all, names, chosen, onChoose }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      aria-keyshortcuts="/"
      value={chosen}
      onChange={({ currentTarget: { value } }) => onChoose(value)}
    >
      <option value="">{all}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name.replaceAll('_', ' ')}
        </option>
      ))}
    </select>
  )
}
