import { ApiError, type Api } from '../api/api.ts'

/** Credits of a month or day, optionally of one key. */
export interface UsagePeriod {
  /** Start of the period, in UTC. */
  readonly startDate: string
  readonly apiKey?: string | null
  readonly creditsUsed?: number
}

/** Balance of a team. */
export interface Balance {
  readonly remainingCredits: number
  readonly planCredits: number
  /** Whether the team has no credit limit. */
  readonly unmetered?: boolean
  readonly reservedCredits?: number
}

/** Concurrency of a team. */
export interface Load {
  readonly concurrency: number
  readonly maxConcurrency: number
}

/** Data of the usage page. */
export interface Usage {
  readonly days: readonly UsagePeriod[]
  readonly months: readonly UsagePeriod[]
  readonly balance: Balance | undefined
  readonly load: Load | undefined
}

/** Reads usage by day and by month, each by key. */
export async function readUsage(api: Api, signal: AbortSignal): Promise<Usage> {
  const history = async (period: string): Promise<readonly UsagePeriod[]> => {
    const path = `/v2/team/credit-usage/historical?byApiKey=true&period=${period}`
    return (await api.get<{ periods: readonly UsagePeriod[] }>(path, signal)).periods
  }
  const [days, months, balance, load] = await Promise.all([
    history('day'),
    history('month'),
    ifSupported(api.get<{ data: Balance }>('/v2/team/credit-usage', signal)),
    ifSupported(api.get<Load>('/v2/concurrency-check', signal)),
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
