interface FilterSelectProps {
  /** Accessible name. */
  readonly label: string
  /** Text of the option that selects all. */
  readonly all: string
  readonly names: readonly string[]
  /** Empty if all are selected. */
  readonly chosen: string
  readonly onChoose: (name: string) => void
}

/** A select that filters a list. Focused with `/`. */
export function FilterSelect({ label, all, names, chosen, onChoose }: FilterSelectProps) {
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
