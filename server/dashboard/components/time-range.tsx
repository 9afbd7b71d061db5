/** Time ranges of lists: their names, and hours. */
const ranges = { 'Last hour': 1, 'Last 24 hours': 24, 'Last 7 days': 168, 'Last 30 days': 720 } as const

type RangeName = keyof typeof ranges

const rangeNames = Object.keys(ranges) as readonly RangeName[]

interface TimeRangeProps {
  /** Name of the range. Empty for all times. */
  readonly chosen: string
  readonly onChoose: (name: string) => void
}

/** A select of the time range of a list. */
export function TimeRange({ chosen, onChoose }: TimeRangeProps) {
  return (
    <select aria-label="Time range" value={chosen} onChange={({ currentTarget: { value } }) => onChoose(value)}>
      <option value="">All times</option>
      {rangeNames.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
}

/** Start of a time range as ISO 8601. `undefined` for all times. */
export function startOf(range: string): string | undefined {
  const name = rangeNames.find((each) => each === range)
  return name === undefined ? undefined : new Date(Date.now() - ranges[name] * 3_600_000).toISOString()
}
