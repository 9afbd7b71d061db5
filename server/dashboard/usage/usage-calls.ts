import type { RouteOutput } from 'bowline/contract/route-types'
import { ApiError, type Api } from '../api/api.ts'

/** Credits of a month or day, of one key and one kind of work. */
export type UsagePeriod = RouteOutput<'creditHistory'>['periods'][number]

/** Data of the usage page. */
export interface Usage {
  readonly days: readonly UsagePeriod[]
  readonly months: readonly UsagePeriod[]
  readonly balance: RouteOutput<'creditUsage'>['data'] | undefined
  readonly load: RouteOutput<'concurrencyCheck'> | undefined
}

/** Reads usage by day and by month, each by key and kind. */
export async function readUsage(api: Api, signal: AbortSignal): Promise<Usage> {
  const history = async (period: 'day' | 'month'): Promise<readonly UsagePeriod[]> => {
    return (await api.call('creditHistory', { query: { byApiKey: 'true', byKind: 'true', period } }, signal)).periods
  }
  const [days, months, balance, load] = await Promise.all([
    history('day'),
    history('month'),
    ifSupported(api.call('creditUsage', {}, signal)),
    ifSupported(api.call('concurrencyCheck', {}, signal)),
  ])
  return { days, months, balance: balance?.data, load }
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
