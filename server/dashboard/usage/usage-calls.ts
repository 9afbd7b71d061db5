import { Fault, type Api } from '../api/call.ts'

/** Credits of one month or day, of one key when broken down. */
export interface UsagePeriod {
  /** First instant, UTC. */
  readonly startDate: string
  readonly apiKey?: string | null
  readonly creditsUsed?: number
}

/** What a team has left. */
export interface Balance {
  readonly remainingCredits: number
  readonly planCredits: number
  /** Whether there is no balance: as many as you like. */
  readonly unmetered?: boolean
  readonly reservedCredits?: number
}

/** What runs for a team. */
export interface Load {
  readonly concurrency: number
  readonly maxConcurrency: number
}

/** All that the page of the usage shows. */
export interface Usage {
  readonly days: readonly UsagePeriod[]
  readonly months: readonly UsagePeriod[]
  readonly balance: Balance | undefined
  readonly load: Load | undefined
}

/** Reads the usage by day and by month, each by key. */
export async function readUsage(api: Api, signal: AbortSignal): Promise<Usage> {
  const history = async (period: string): Promise<readonly UsagePeriod[]> => {
    const path = `/v2/team/credit-usage/historical?byApiKey=true&period=${period}`
    return (await api.get<{ periods: readonly UsagePeriod[] }>(path, signal)).periods
  }
  const [days, months, balance, load] = await Promise.all([
    history('day'),
    history('month'),
    orNothing(api.get<{ data: Balance }>('/v2/team/credit-usage', signal)),
    orNothing(api.get<Load>('/v2/concurrency-check', signal)),
  ])
  return { days, months, balance: balance?.data, load }
}

/** A server may have the one and not the other. */
async function orNothing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Fault && error.isMissingRoute) return undefined
    throw error
  }
}
