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

/** Arranges usage periods into the last `count` days. `groupOf` names the group of a period. */
export function toDayTable(
  periods: readonly UsagePeriod[],
  groupOf: (period: UsagePeriod) => string,
  nowMs: number,
  count = 31,
): DayTable {
  const today = Math.floor(nowMs / 1000 / daySeconds) * daySeconds
  const days = Array.from({ length: count }, (_, dayIndex) => today - (count - 1 - dayIndex) * daySeconds)
  const rows = new Map<string, number[]>()
  for (const period of periods) {
    const { startDate, creditsUsed = 0 } = period
    const dayStart = Math.floor(Date.parse(startDate) / 1000 / daySeconds) * daySeconds
    const dayIndex = days.indexOf(dayStart)
    if (dayIndex === -1) continue
    const name = groupOf(period)
    const row = rows.get(name) ?? days.map(() => 0)
    row[dayIndex] = (row[dayIndex] ?? 0) + creditsUsed
    rows.set(name, row)
  }
  const sorted = [...rows].toSorted(([, a], [, b]) => total(b) - total(a))
  return { days, groups: sorted.map(([name]) => name), credits: sorted.map(([, row]) => row) }
}

/** Sums numbers. */
export function total(row: readonly number[]): number {
  return row.reduce((sum, each) => sum + each, 0)
}
