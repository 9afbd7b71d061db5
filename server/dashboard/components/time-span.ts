/** Time ranges of lists: their names, and hours. */
const ranges = {
  'Last 15 minutes': 0.25,
  'Last hour': 1,
  'Last 6 hours': 6,
  'Last 24 hours': 24,
  'Last 7 days': 168,
  'Last 30 days': 720,
  'Last 31 days': 744,
  'Last 90 days': 2160,
  'Last 365 days': 8760,
} as const

/** Name of a time range. */
export type RangeName = keyof typeof ranges

/** Two local days, such as `2026-11-27`. */
export interface Days {
  readonly first: string
  readonly last: string
}

/** Start and end of a time range as ISO 8601. `undefined` without limit. */
export interface TimeSpan {
  readonly from?: string | undefined
  /** Exclusive. */
  readonly to?: string | undefined
}

/**
 * Returns the span of a time range, given by its name or as two days in the form of `writeDays`.
 * The span of the whole list and of an unknown range has no limits.
 */
export function spanOf(range: string): TimeSpan {
  if (isRange(range)) return { from: new Date(Date.now() - ranges[range] * 3_600_000).toISOString() }
  const days = readDays(range)
  if (days === undefined) return {}
  const { first, last } = days
  const [start, end] = first <= last ? [first, last] : [last, first]
  return { from: startOfDay(start, 0), to: startOfDay(end, 1) }
}

/** The first and the last UTC day of a time range, given as for `spanOf`. */
export function utcDaysOf(range: string, nowMs: number): Days | undefined {
  const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
  if (isRange(range)) return { first: utcDay(nowMs - (ranges[range] - 24) * 3_600_000), last: utcDay(nowMs) }
  const days = readDays(range)
  if (days === undefined || days.first <= days.last) return days
  return { first: days.last, last: days.first }
}

/** Writes two days as a time range, such as `2026-11-01..2026-11-30`. */
export function writeDays({ first, last }: Days): string {
  return `${first}..${last}`
}

/** Reads a time range of two days. Returns `undefined` for any other text. */
export function readDays(range: string): Days | undefined {
  const [, first = '', last = ''] = /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/.exec(range) ?? []
  return isDay(first) && isDay(last) ? { first, last } : undefined
}

/** The local day of a time. */
export function dayOf(time: Date): string {
  const pad = (number: number): string => String(number).padStart(2, '0')
  return `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`
}

function isRange(name: string): name is RangeName {
  return Object.hasOwn(ranges, name)
}

function isDay(day: string): boolean {
  return !Number.isNaN(Date.parse(day))
}

/** Local midnight at the start of a day, some days later. */
function startOfDay(day: string, daysLater: number): string {
  const date = new Date(`${day}T00:00`)
  date.setDate(date.getDate() + daysLater)
  return date.toISOString()
}
