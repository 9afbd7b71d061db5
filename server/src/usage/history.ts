import { sumUsage, type UsageRow } from '../billing/ledger.ts'
import type { Store } from '../store/store.ts'

/** Credits that a team used in a month or a day. */
export interface UsagePeriod {
  /** First instant, UTC. */
  readonly startDate: string
  /** Last instant, UTC. `null` for the current period. */
  readonly endDate: string | null
  /** Name of the API key, if broken down by key. */
  readonly apiKey: string | undefined
  /** Kind of work, if broken down by kind. */
  readonly kind: string | undefined
  readonly credits: number
}

/** Query parameters of the usage history. */
export interface HistoryOptions {
  /** `'true'`: one row per API key and period. */
  readonly byApiKey?: string | undefined
  /** `'true'`: one row per kind of work and period. */
  readonly byKind?: string | undefined
  readonly period?: 'month' | 'day' | undefined
  /** First UTC day, such as `2026-11-01`. Default: see `period`. */
  readonly firstDay?: string | undefined
  /** Last UTC day. Default: today. */
  readonly lastDay?: string | undefined
}

/** Days in a daily history without a first day, including today. */
const days = 31

/** Returns a team's usage, oldest first, then by key name and kind. Omits periods without usage. */
export async function usageHistory(
  { db }: Pick<Store, 'db'>,
  teamId: string,
  options: HistoryOptions,
  now: Date = new Date(),
): Promise<readonly UsagePeriod[]> {
  const { byApiKey, byKind, period = 'month', firstDay, lastDay } = options
  const firstOfDays = period === 'day' ? startOfDay(now, 1 - days) : undefined
  const rows = await sumUsage(db, {
    teamId,
    period,
    byApiKey: byApiKey === 'true',
    byKind: byKind === 'true',
    from: firstDay === undefined ? firstOfDays : new Date(firstDay),
    to: lastDay === undefined ? undefined : startOfDay(new Date(lastDay), 1),
  })
  return rows.map((row) => toPeriod(row, period, now))
}

/** Start of the UTC day of a time, some days later. */
function startOfDay(time: Date, daysLater: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate() + daysLater))
}

function toPeriod({ start, apiKey, kind, credits }: UsageRow, period: 'month' | 'day', now: Date): UsagePeriod {
  const next = nextStart(start, period)
  const endDate = next > now ? null : new Date(next.getTime() - 1).toISOString()
  return { startDate: start.toISOString(), endDate, apiKey, kind, credits }
}

function nextStart(start: Date, period: 'month' | 'day'): Date {
  return period === 'month' ? new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)) : startOfDay(start, 1)
}
