/** Time ranges of lists: their names, and hours. */
const ranges = {
  'Last 15 minutes': 0.25,
  'Last hour': 1,
  'Last 6 hours': 6,
  'Last 24 hours': 24,
  'Last 7 days': 168,
  'Last 30 days': 720,
} as const

/** Name of a time range. */
export type RangeName = keyof typeof ranges

const longRanges: readonly RangeName[] = ['Last hour', 'Last 24 hours', 'Last 7 days', 'Last 30 days']

interface TimeRangeProps {
  /** Default: an hour to 30 days. */
  readonly names?: readonly RangeName[]
  /** Text of the option for the whole list. Default: `All times`. */
  readonly all?: string
  /** Name of the range. Empty for the whole list. */
  readonly chosen: string
  readonly onChoose: (name: string) => void
}

/** A select of the time range of a list. */
export function TimeRange({ names = longRanges, all = 'All times', chosen, onChoose }: TimeRangeProps) {
  return (
    <select aria-label="Time range" value={chosen} onChange={({ currentTarget: { value } }) => onChoose(value)}>
      <option value="">{all}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
}

/**
 * Start of a time range as ISO 8601. `undefined` for the whole list and for names that are none.
 */
export function startOf(range: string): string | undefined {
  return isRange(range) ? new Date(Date.now() - ranges[range] * 3_600_000).toISOString() : undefined
}

function isRange(name: string): name is RangeName {
  return Object.hasOwn(ranges, name)
}
