import type { UsagePeriod } from './usage-calls.ts'

/** Credits by day and key, without gaps. */
export interface DayTable {
  /** Seconds since the epoch of the start of each day, UTC, oldest first. */
  readonly days: readonly number[]
  /** Names of keys, by descending usage. */
  readonly keys: readonly string[]
  /** Credits of each key by day. */
  readonly credits: readonly (readonly number[])[]
}

const daySeconds = 86_400

/** Arranges usage periods into the last `count` days. */
export function toDayTable(periods: readonly UsagePeriod[], nowMs: number, count = 31): DayTable {
  const today = Math.floor(nowMs / 1000 / daySeconds) * daySeconds
  const days = Array.from({ length: count }, (_, dayIndex) => today - (count - 1 - dayIndex) * daySeconds)
  const rows = new Map<string, number[]>()
  for (const { startDate, apiKey, creditsUsed = 0 } of periods) {
    const dayStart = Math.floor(Date.parse(startDate) / 1000 / daySeconds) * daySeconds
    const dayIndex = days.indexOf(dayStart)
    if (dayIndex === -1) continue
    const name = apiKey ?? 'all keys'
    const row = rows.get(name) ?? days.map(() => 0)
    row[dayIndex] = (row[dayIndex] ?? 0) + creditsUsed
    rows.set(name, row)
  }
  const sorted = [...rows].toSorted(([, a], [, b]) => total(b) - total(a))
  return { days, keys: sorted.map(([name]) => name), credits: sorted.map(([, row]) => row) }
}

/** Sums numbers. */
export function total(row: readonly number[]): number {
  return row.reduce((sum, each) => sum + each, 0)
}
