import { dayOf, readDays, writeDays, type RangeName } from './time-span.ts'

const longRanges: readonly RangeName[] = ['Last hour', 'Last 24 hours', 'Last 7 days', 'Last 30 days']

interface TimeRangeProps {
  /** Default: an hour to 30 days. */
  readonly names?: readonly RangeName[]
  /** Text of the option for the whole list. Default: `All times`. */
  readonly all?: string
  /** A time range of `spanOf`. Empty for the whole list. */
  readonly chosen: string
  readonly onChoose: (range: string) => void
}

const custom = 'Custom dates'

/** Selects the time range of a list, by its name or as two days. */
export function TimeRange({ names = longRanges, all = 'All times', chosen, onChoose }: TimeRangeProps) {
  const days = readDays(chosen)
  const choose = (value: string): void => {
    const today = dayOf(new Date())
    onChoose(value === custom ? writeDays({ first: today, last: today }) : value)
  }
  return (
    <>
      <select
        aria-label="Time range"
        value={days === undefined ? chosen : custom}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        <option value="">{all}</option>
        {[...names, custom].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {days !== undefined && (
        <span class="days">
          <DayInput label="First day" day={days.first} onChange={(first) => onChoose(writeDays({ ...days, first }))} />–
          <DayInput label="Last day" day={days.last} onChange={(last) => onChoose(writeDays({ ...days, last }))} />
        </span>
      )}
    </>
  )
}

interface DayInputProps {
  readonly label: string
  readonly day: string
  readonly onChange: (day: string) => void
}

function DayInput({ label, day, onChange }: DayInputProps) {
  return (
    <input
      type="date"
      aria-label={label}
      value={day}
      // Empty while it is typed.
      onChange={({ currentTarget: { value } }) => value !== '' && onChange(value)}
    />
  )
}
