import { z } from 'zod'

/** Tokens per credit. */
export const tokensPerCredit = 15

/**
 * Value of `remainingCredits` and `planCredits` for teams that are not metered. Clients require a
 * number.
 */
export const unmeteredCredits = 999_999_999

/** Query of the usage history. */
export const usageHistoryQuery = z.object({
  /** `true` splits the usage by API key. */
  byApiKey: z.string().optional(),
  /** `true` splits the usage by kind of work. */
  byKind: z.string().optional(),
  /** `day` returns the last 31 days, `month` all months with usage. Default: `month`. */
  period: z.enum(['month', 'day']).optional(),
  /** First UTC day of the usage, such as `2026-11-01`. Default: that of the first period. */
  firstDay: z.iso.date().optional(),
  /** Last UTC day of the usage. Default: today. */
  lastDay: z.iso.date().optional(),
})

const period = {
  /** Start of the period, in UTC. */
  startDate: z.string(),
  /** End of the period, in UTC; `null` for the current period. */
  endDate: z.string().nullable().optional(),
  /** Name of the API key, if the usage is split by key. */
  apiKey: z.string().nullable().optional(),
  /**
   * Kind of work, if the usage is split by kind: `session`, `scrape`, `job` (pages of batches and
   * crawls), `map`, `search`, `extract`, `agent` or `monitor`.
   */
  kind: z.string().nullable().optional(),
}

/** Response of `GET /v2/team/credit-usage/historical`. Both names have the same value. */
export const creditHistoryResponse = z.looseObject({
  success: z.literal(true),
  periods: z.array(
    z.looseObject({ ...period, totalCredits: z.number().optional(), creditsUsed: z.number().optional() }),
  ),
})

/** Response of `GET /v2/team/token-usage/historical`. Both names have the same value. */
export const tokenHistoryResponse = z.looseObject({
  success: z.literal(true),
  periods: z.array(z.looseObject({ ...period, totalTokens: z.number().optional(), tokensUsed: z.number().optional() })),
})

/** Work that was billed: a session, a job, or a monitor with all its checks. */
export const cost = z.looseObject({
  kind: z.enum(['session', 'batch_scrape', 'crawl', 'extract', 'agent', 'monitor']),
  /** Id of the session, the job or the monitor. */
  id: z.string(),
  /** Name of the session or the monitor, or first URL of the job. Absent if it has none. */
  target: z.string().optional(),
  /** Number of pages of a batch or crawl, with the failed ones. Absent for other work. */
  pages: z.int().optional(),
  credits: z.number(),
  /** Start of the session or the job, or of the last check of the monitor. */
  createdAt: z.string(),
})

/** Query of `GET /v2/team/credit-usage/costs`. */
export const listCostsQuery = z.object({
  /** Only work that was started at this time or later. Default: all that is stored. */
  from: z.iso.datetime({ offset: true }).optional(),
  /** Only work that was started before this time. */
  to: z.iso.datetime({ offset: true }).optional(),
  /** Maximum number, 1 to 100. Default: 20. */
  limit: z.coerce.number<number | string>().int().min(1).max(100).default(20),
})

/** Response of `GET /v2/team/credit-usage/costs`, the most expensive first. */
export const listCostsResponse = z.looseObject({ success: z.literal(true), data: z.array(cost) })

const billingPeriod = { billingPeriodStart: z.string().nullable(), billingPeriodEnd: z.string().nullable() }
const billingPeriodV1 = { billing_period_start: z.string().nullable(), billing_period_end: z.string().nullable() }

/** Response of `GET /v2/team/credit-usage`. */
export const creditUsageResponse = z.looseObject({
  success: z.literal(true),
  data: z.looseObject({
    /** Balance without reserved credits. */
    remainingCredits: z.number(),
    /** Credits of the last top-up. */
    planCredits: z.number(),
    ...billingPeriod,
    /** Whether the team is not metered. Both numbers are placeholders then. */
    unmetered: z.boolean().optional(),
    /** Credits reserved for running work. */
    reservedCredits: z.number().optional(),
  }),
})

/** Response of `GET /v2/team/token-usage`. */
export const tokenUsageResponse = z.looseObject({
  success: z.literal(true),
  data: z.looseObject({ remainingTokens: z.number(), planTokens: z.number(), ...billingPeriod }),
})

/** Response of `GET /v1/team/credit-usage`. */
export const creditUsageResponseV1 = z.looseObject({
  success: z.literal(true),
  data: z.looseObject({ remaining_credits: z.number(), plan_credits: z.number(), ...billingPeriodV1 }),
})

/** Response of `GET /v1/team/token-usage`. */
export const tokenUsageResponseV1 = z.looseObject({
  success: z.literal(true),
  data: z.looseObject({ remaining_tokens: z.number(), plan_tokens: z.number(), ...billingPeriodV1 }),
})

/** Response of `GET /v2/team/queue-status`. */
export const queueStatusResponse = z.looseObject({
  success: z.literal(true),
  jobsInQueue: z.number(),
  activeJobsInQueue: z.number(),
  waitingJobsInQueue: z.number(),
  maxConcurrency: z.number(),
  /** When the team was last billed; `null` if never. */
  mostRecentSuccess: z.string().nullable(),
})

/** Response of `GET /v2/concurrency-check`. */
export const concurrencyResponse = z.looseObject({
  success: z.literal(true),
  /** Number of running sessions and scrapes. */
  concurrency: z.number(),
  /** Limit of the team, or the capacity of the servers if it has none. */
  maxConcurrency: z.number(),
})

/**
 * Work that cost credits.
 *
 * @example
 * ```ts
 * import { Bowline, type Cost } from 'bowline'
 *
 * const [most]: readonly Cost[] = await new Bowline().usage.costs({ limit: 1 })
 * console.log(most?.kind, most?.id, most?.credits)
 * ```
 */
export type Cost = z.output<typeof cost>
export type QueueStatus = z.output<typeof queueStatusResponse>
