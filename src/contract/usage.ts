import { z } from 'zod'

/** Tokens per credit. */
export const tokensPerCredit = 15

/**
 * Value of `remainingCredits` and `planCredits` for teams that are not metered. Clients require a
 * number.
 */
export const unmeteredCredits = 999_999_999

/** Query of the usage history. `byApiKey` must be `true` to split the usage by key. */
export const usageHistoryQuery = z.object({
  byApiKey: z.string().optional(),
  /** `day` returns the last 31 days, `month` all months with usage. Default: `month`. */
  period: z.enum(['month', 'day']).optional(),
})

const period = {
  /** Start of the period, in UTC. */
  startDate: z.string(),
  /** End of the period, in UTC; `null` for the current period. */
  endDate: z.string().nullable().optional(),
  /** Name of the API key, if the usage is split by key. */
  apiKey: z.string().nullable().optional(),
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

export type QueueStatus = z.output<typeof queueStatusResponse>
