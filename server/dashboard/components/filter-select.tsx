interface FilterSelectProps {
  /** Accessible name. */
  readonly label: string
  /** Text of the option that selects all. */
  readonly all: string
  readonly names: readonly string[]
  /** Text of an option. Default: its name with spaces. */
  readonly titleOf?: (name: string) => string
  /** Empty if all are selected. */
  readonly chosen: string
  readonly onChoose: (name: string) => void
}

/** A select that filters a list. */
export function FilterSelect({ label, all, names, titleOf = withSpaces, chosen, onChoose }: FilterSelectProps) {
  return (
    <select aria-label={label} value={chosen} onChange={({ currentTarget: { value } }) => onChoose(value)}>
      <option value="">{all}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {titleOf(name)}
        </option>
      ))}
    </select>
  )
}

function withSpaces(name: string): string {
  return name.replaceAll('_', ' ')
}
