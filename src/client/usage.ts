import { tokensPerCredit, type Cost } from '../contract/usage.ts'
import type { Abortable } from '../kit/abort.ts'
import { checkOptions, type OptionNames } from './check-options.ts'
import type { Call } from './call.ts'

/**
 * Credits that a team has left.
 *
 * @example
 * ```ts
 * import { Bowline, type Balance } from 'bowline'
 *
 * const { remainingCredits, reservedCredits }: Balance = await new Bowline().usage.current()
 * console.log(remainingCredits ?? 'not metered', reservedCredits)
 * ```
 */
export interface Balance {
  /** Credits that are not reserved by running work. `undefined` if the team is not metered. */
  readonly remainingCredits: number | undefined
  /** Credits of the last top-up. `undefined` if the team is not metered or the service omits it. */
  readonly planCredits: number | undefined
  /** Credits reserved for running work. Some services omit it. */
  readonly reservedCredits: number | undefined
}

/**
 * Usage of a team in a month or a day.
 *
 * @example
 * ```ts
 * import { Bowline, type UsagePeriod } from 'bowline'
 *
 * const periods: readonly UsagePeriod[] = await new Bowline().usage.history({ byKind: true })
 * for (const { startDate, kind, credits } of periods) console.log(startDate, kind, credits)
 * ```
 */
export interface UsagePeriod {
  /** Start of the period: ISO 8601, UTC. */
  readonly startDate: string
  /** End of the period: ISO 8601, UTC. `undefined` if it has not ended. */
  readonly endDate: string | undefined
  /** Name of the API key. Only with `byApiKey`. */
  readonly apiKey: string | undefined
  /**
   * Kind of work: `session`, `scrape`, `job` (pages of batches and crawls), `map`, `search`,
   * `extract`, `agent` or `monitor`. Only with `byKind`.
   */
  readonly kind: string | undefined
  readonly credits: number
  /** 15 per credit. */
  readonly tokens: number
}

/**
 * Options of `usage.history()`.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const days = await bowline.usage.history({ period: 'day', byApiKey: true })
 * for (const { startDate, apiKey, credits } of days) {
 *   console.log(startDate, apiKey, credits)
 * }
 * ```
 */
export interface UsageHistoryOptions extends Abortable {
  /** Return one row per API key and period. Default: false. */
  readonly byApiKey?: boolean | undefined
  /** Return one row per kind of work and period. Default: false. */
  readonly byKind?: boolean | undefined
  /** `day` covers the last 31 days, `month` all months with usage. Default: `month`. */
  readonly period?: 'month' | 'day' | undefined
  /** First UTC day, such as `2026-11-01`. Default: that of the first period. */
  readonly firstDay?: string | undefined
  /** Last UTC day. Default: today. */
  readonly lastDay?: string | undefined
}

/**
 * Options of `usage.costs()`.
 *
 * @example
 * ```ts
 * import { Bowline, type CostsOptions } from 'bowline'
 *
 * const sinceMonday: CostsOptions = { from: new Date('2026-11-23T00:00:00Z'), limit: 5 }
 * for (const { kind, id, credits } of await new Bowline().usage.costs(sinceMonday)) {
 *   console.log(kind, id, credits)
 * }
 * ```
 */
export interface CostsOptions extends Abortable {
  /** Only work that was started at this time or later. Default: all that the server has stored. */
  readonly from?: Date | undefined
  /** Only work that was started before this time. Default: now. */
  readonly to?: Date | undefined
  /** Maximum number, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
}

/**
 * Reports the credits that a team has used and has left.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const { remainingCredits } = await bowline.usage.current()
 * console.log(remainingCredits ?? 'not metered', await bowline.usage.history())
 * ```
 */
export interface Usage {
  /** Returns the current balance. */
  readonly current: (requestOptions?: Abortable) => Promise<Balance>
  /** Returns usage per period, oldest first. Periods without usage are omitted. */
  readonly history: (options?: UsageHistoryOptions) => Promise<readonly UsagePeriod[]>
  /**
   * Returns the most expensive sessions, jobs and monitors, the most expensive first. Jobs are
   * listed until they expire.
   */
  readonly costs: (options?: CostsOptions) => Promise<readonly Cost[]>
}

/** Running work of a team. */
export interface Concurrency {
  /** Running sessions and scrapes. */
  readonly concurrency: number
  /** Limit of the team, otherwise the capacity of the servers. */
  readonly maxConcurrency: number
}

/**
 * Returns the number of running sessions and scrapes, and its limit.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const { concurrency, maxConcurrency } = await bowline.concurrency()
 * console.log(`${concurrency} of ${maxConcurrency} in use`)
 * ```
 */
export type GetConcurrency = (requestOptions?: Abortable) => Promise<Concurrency>

/** Creates `bowline.usage`. */
export function createUsage(call: Call): Usage {
  return {
    current: async (requestOptions = {}) => {
      const { data } = await call('creditUsage', {}, requestOptions)
      const { remainingCredits, planCredits, reservedCredits } = data
      if (data.unmetered === true) return { remainingCredits: undefined, planCredits: undefined, reservedCredits }
      return { remainingCredits, planCredits, reservedCredits }
    },
    history: async (options = {}) => {
      checkOptions('usage.history()', options, {
        byApiKey: true,
        byKind: true,
        period: true,
        firstDay: true,
        lastDay: true,
        signal: true,
      } satisfies OptionNames<UsageHistoryOptions>)
      const { byApiKey = false, byKind = false, period, firstDay, lastDay, ...requestOptions } = options
      const query = {
        ...(byApiKey ? { byApiKey: 'true' } : {}),
        ...(byKind ? { byKind: 'true' } : {}),
        period,
        firstDay,
        lastDay,
      }
      const { periods } = await call('creditHistory', { query }, requestOptions)
      return periods.map(({ startDate, endDate, apiKey, kind, totalCredits, creditsUsed = totalCredits ?? 0 }) => ({
        startDate,
        endDate: endDate ?? undefined,
        apiKey: apiKey ?? undefined,
        kind: kind ?? undefined,
        credits: creditsUsed,
        tokens: creditsUsed * tokensPerCredit,
      }))
    },
    costs: async (options = {}) => {
      checkOptions('usage.costs()', options, {
        from: true,
        to: true,
        limit: true,
        signal: true,
      } satisfies OptionNames<CostsOptions>)
      const { from, to, limit, ...requestOptions } = options
      const query = { from: from?.toISOString(), to: to?.toISOString(), limit }
      return (await call('listCosts', { query }, requestOptions)).data
    },
  }
}

/** Creates `bowline.concurrency`. */
export function createConcurrency(call: Call): GetConcurrency {
  return async (requestOptions = {}) => {
    const { concurrency, maxConcurrency } = await call('concurrencyCheck', {}, requestOptions)
    return { concurrency, maxConcurrency }
  }
}
