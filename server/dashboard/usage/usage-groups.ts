import type { UsagePeriod } from './usage-calls.ts'

/** How usage is split. */
export const groupings = ['By kind', 'By key'] as const

export type Grouping = (typeof groupings)[number]

const kindNames: Readonly<Record<string, string>> = {
  session: 'Sessions',
  scrape: 'Scrapes',
  job: 'Jobs',
  map: 'Maps',
  search: 'Searches',
  extract: 'Extractions',
  agent: 'Agents',
  monitor: 'Monitors',
}

/** Name of the group that a period belongs to. */
export function groupOf({ apiKey, kind }: UsagePeriod, grouping: Grouping): string {
  if (grouping === 'By key') return apiKey ?? 'all keys'
  return kindNames[kind ?? ''] ?? kind ?? 'all kinds'
}

/** Credits of a group in a month. */
export interface MonthRow {
  readonly startDate: string
  readonly group: string
  readonly credits: number
}

/** Sums usage by month and group: the newest month first, and its largest group first. */
export function toMonthRows(months: readonly UsagePeriod[], grouping: Grouping): readonly MonthRow[] {
  const rows = new Map<string, MonthRow>()
  for (const period of months) {
    const { startDate, creditsUsed = 0 } = period
    const group = groupOf(period, grouping)
    const key = `${startDate} ${group}`
    rows.set(key, { startDate, group, credits: (rows.get(key)?.credits ?? 0) + creditsUsed })
  }
  return [...rows.values()].toSorted(
    (one, other) => other.startDate.localeCompare(one.startDate) || other.credits - one.credits,
  )
}
