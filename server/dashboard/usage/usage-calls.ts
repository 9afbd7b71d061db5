import type { RouteInput, RouteOutput } from 'bowline/contract/route-types'
import { ApiError, type Api } from '../api/api.ts'
import type { Days } from '../components/time-span.ts'

/** Credits of a month or day, of one key and one kind of work. */
export type UsagePeriod = RouteOutput<'creditHistory'>['periods'][number]

/** Data of the usage page. */
export interface Usage {
  /** Those of the last 31 days. */
  readonly days: readonly UsagePeriod[]
  readonly months: readonly UsagePeriod[]
  readonly balance: RouteOutput<'creditUsage'>['data'] | undefined
  readonly load: RouteOutput<'concurrencyCheck'> | undefined
}

/** Reads usage by day and by month, each by key and kind. */
export async function readUsage(api: Api, signal: AbortSignal): Promise<Usage> {
  const [days, months, balance, load] = await Promise.all([
    readHistory(api, { period: 'day' }, signal),
    readHistory(api, { period: 'month' }, signal),
    ifSupported(api.call('creditUsage', {}, signal)),
    ifSupported(api.call('concurrencyCheck', {}, signal)),
  ])
  return { days, months, balance: balance?.data, load }
}

/** Reads usage by day from the first to the last UTC day, by key and kind. */
export async function readDays(api: Api, { first, last }: Days, signal: AbortSignal): Promise<readonly UsagePeriod[]> {
  return readHistory(api, { period: 'day', firstDay: first, lastDay: last }, signal)
}

async function readHistory(
  api: Api,
  query: RouteInput<'creditHistory'>['query'],
  signal: AbortSignal,
): Promise<readonly UsagePeriod[]> {
  const split = { byApiKey: 'true', byKind: 'true' }
  return (await api.call('creditHistory', { query: { ...split, ...query } }, signal)).periods
}

/** Resolves to `undefined` if the server does not have the endpoint. */
async function ifSupported<Result>(answer: Promise<Result>): Promise<Result | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && error.isMissingRoute) return undefined
    throw error
  }
}
