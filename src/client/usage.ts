import { tokensPerCredit } from '../contract/usage.ts'
import type { Abortable } from '../kit/abort.ts'
import { checkOptions, type OptionNames } from './check-options.ts'
import type { Call } from './call.ts'

/** What a team has left. */
export interface Balance {
  /** Credits that no running work has set aside. Undefined: the team is not metered. */
  readonly remainingCredits: number | undefined
  /** Credits that the team was last given. Undefined: it is not metered, or the service does not say. */
  readonly planCredits: number | undefined
  /** Credits set aside for running work; a service may omit it. */
  readonly reservedCredits: number | undefined
}

/** What a team used in a month or a day. */
export interface UsagePeriod {
  /** First instant, UTC. */
  readonly startDate: string
  /** Last instant, UTC. Undefined: it is not over. */
  readonly endDate: string | undefined
  /** Name of the key; only with `byApiKey`. */
  readonly apiKey: string | undefined
  readonly credits: number
  /** 15 for each credit. */
  readonly tokens: number
}

/** How a history is asked for. */
export interface UsageHistoryOptions extends Abortable {
  /** One row for each key and period. Default false. */
  readonly byApiKey?: boolean | undefined
  /** `day`: the last 31 days. Default `month`: every month with usage. */
  readonly period?: 'month' | 'day' | undefined
}

/** What a team used and has left. */
export interface Usage {
  readonly current: (how?: Abortable) => Promise<Balance>
  /** Oldest first; periods without usage are absent. */
  readonly history: (options?: UsageHistoryOptions) => Promise<readonly UsagePeriod[]>
}

/** What runs for a team now. */
export interface Concurrency {
  /** Sessions and scrapes that run. */
  readonly concurrency: number
  /** The limit of the team, else what the servers can hold. */
  readonly maxConcurrency: number
}

/** Counts what runs for the team now. */
export type GetConcurrency = (how?: Abortable) => Promise<Concurrency>

/** Makes the `usage` of a client. */
export function createUsage(call: Call): Usage {
  return {
    current: async (how = {}) => {
      const { data } = await call('creditUsage', {}, how)
      const { remainingCredits, planCredits, reservedCredits } = data
      if (data.unmetered === true) return { remainingCredits: undefined, planCredits: undefined, reservedCredits }
      return { remainingCredits, planCredits, reservedCredits }
    },
    history: async (options = {}) => {
      checkOptions('usage.history()', options, {
        byApiKey: true,
        period: true,
        signal: true,
      } satisfies OptionNames<UsageHistoryOptions>)
      const { byApiKey = false, period, ...how } = options
      const query = { ...(byApiKey ? { byApiKey: 'true' } : {}), ...(period === undefined ? {} : { period }) }
      const { periods } = await call('creditHistory', { query }, how)
      return periods.map(({ startDate, endDate, apiKey, totalCredits, creditsUsed = totalCredits ?? 0 }) => ({
        startDate,
        endDate: endDate ?? undefined,
        apiKey: apiKey ?? undefined,
        credits: creditsUsed,
        tokens: creditsUsed * tokensPerCredit,
      }))
    },
  }
}

/** Makes the `concurrency` of a client. */
export function createConcurrency(call: Call): GetConcurrency {
  return async (how = {}) => {
    const { concurrency, maxConcurrency } = await call('concurrencyCheck', {}, how)
    return { concurrency, maxConcurrency }
  }
}
