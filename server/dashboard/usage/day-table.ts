import type { Days } from '../components/time-span.ts'
import type { UsagePeriod } from './usage-calls.ts'

/** Credits by day and group, without gaps. */
export interface DayTable {
  /** Seconds since the epoch of the start of each day, UTC, oldest first. */
  readonly days: readonly number[]
  /** Names of groups, by descending usage. */
  readonly groups: readonly string[]
  /** Credits of each group by day. */
  readonly credits: readonly (readonly number[])[]
}

const daySeconds = 86_400

/** Most days in a table: a longer range starts later. */
const maxDays = 1100

/** The last 31 days, as the API returns them by default. */
export function lastDays(nowMs: number): Days {
  const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
  return { first: utcDay(nowMs - 30 * daySeconds * 1000), last: utcDay(nowMs) }
}

/** Arranges usage periods into days. `groupOf` names the group of a period. */
export function toDayTable(
  periods: readonly UsagePeriod[],
  groupOf: (period: UsagePeriod) => string,
  { first, last }: Days,
): DayTable {
  const lastStart = startOfDay(last)
  const count = Math.min(maxDays, (lastStart - startOfDay(first)) / daySeconds + 1)
  const days = Array.from({ length: count }, (_, dayIndex) => lastStart - (count - 1 - dayIndex) * daySeconds)
  const firstStart = days[0] ?? 0
  const rows = new Map<string, number[]>()
  for (const period of periods) {
    const { startDate, creditsUsed = 0 } = period
    const dayIndex = (startOfDay(startDate) - firstStart) / daySeconds
    if (dayIndex < 0 || dayIndex >= count) continue
    const name = groupOf(period)
    const row = rows.get(name) ?? days.map(() => 0)
    row[dayIndex] = (row[dayIndex] ?? 0) + creditsUsed
    rows.set(name, row)
  }
  const sorted = [...rows].toSorted(([, a], [, b]) => total(b) - total(a))
  return { days, groups: sorted.map(([name]) => name), credits: sorted.map(([, row]) => row) }
}

/** Seconds since the epoch of the start of the UTC day of a time. */
function startOfDay(time: string): number {
  return Math.floor(Date.parse(time) / 1000 / daySeconds) * daySeconds
}

/** Sums numbers. */
export function total(row: readonly number[]): number {
  return row.reduce((sum, each) => sum + each, 0)
}
