import { sumUsage, type UsageRow } from '../store/usage.ts'
import type { Store } from '../store/store.ts'

/** What a team used in a month or a day. */
export interface UsagePeriod {
  /** First instant, UTC. */
  readonly startDate: string
  /** Last instant, UTC; null while it is not over. */
  readonly endDate: string | null
  /** Name of the key, when asked for. */
  readonly apiKey: string | undefined
  readonly credits: number
}

/** How a history is asked for. */
export interface HistoryOptions {
  /** `true`: a row for each key and period. */
  readonly byApiKey?: string | undefined
  readonly period?: 'month' | 'day' | undefined
}

/** Days of a history by day, today included. */
const days = 31

/** What a team used: oldest first, then by the names of keys. Periods without usage are absent. */
export async function usageHistory(
  { db }: Pick<Store, 'db'>,
  teamId: string,
  options: HistoryOptions,
  now: Date = new Date(),
): Promise<readonly UsagePeriod[]> {
  const { byApiKey, period = 'month' } = options
  const from =
    period === 'day'
      ? new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - days + 1))
      : undefined
  const rows = await sumUsage(db, { teamId, period, byApiKey: byApiKey === 'true', from })
  return rows.map((row) => toPeriod(row, period, now))
}

function toPeriod({ start, apiKey, credits }: UsageRow, period: 'month' | 'day', now: Date): UsagePeriod {
  const next = nextStart(start, period)
  const endDate = next > now ? null : new Date(next.getTime() - 1).toISOString()
  return { startDate: start.toISOString(), endDate, apiKey, credits }
}

function nextStart(start: Date, period: 'month' | 'day'): Date {
  return period === 'month'
    ? new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1))
    : new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate() + 1))
}
