import { z } from 'zod'

/** Tokens that one credit is worth. */
export const tokensPerCredit = 15

/** What `remainingCredits` and `planCredits` say of a team that is not metered: clients want a number there. */
export const unmeteredCredits = 999_999_999

/** Query of the historical usage. Only the very word `true` breaks it down. */
export const usageHistoryQuery = z.object({
  byApiKey: z.string().optional(),
  /** `day` answers the last 31 days, `month` every month with usage. Default `month`. */
  period: z.enum(['month', 'day']).optional(),
})

const period = {
  /** First instant of the month, UTC. */
  startDate: z.string(),
  /** Last instant of the month, UTC; null while it is not over. */
  endDate: z.string().nullable().optional(),
  /** Name of the API key; only when the usage is broken down by key. */
  apiKey: z.string().nullable().optional(),
}

/** Answer of `GET /v2/team/credit-usage/historical`: both names mean the same. */
export const creditHistoryResponse = z.looseObject({
  success: z.literal(true),
  periods: z.array(
    z.looseObject({ ...period, totalCredits: z.number().optional(), creditsUsed: z.number().optional() }),
  ),
})

/** Answer of `GET /v2/team/token-usage/historical`: both names mean the same. */
export const tokenHistoryResponse = z.looseObject({
  success: z.literal(true),
  periods: z.array(z.looseObject({ ...period, totalTokens: z.number().optional(), tokensUsed: z.number().optional() })),
})

const billingPeriod = { billingPeriodStart: z.string().nullable(), billingPeriodEnd: z.string().nullable() }
const billingPeriodV1 = { billing_period_start: z.string().nullable(), billing_period_end: z.string().nullable() }

/** Answer of `GET /v2/team/credit-usage`. */
export const creditUsageResponse = z.looseObject({
  success: z.literal(true),
  data: z.looseObject({
    /** Credits that no running work has set aside. */
    remainingCredits: z.number(),
    /** Credits that the team was last given. */
    planCredits: z.number(),
    ...billingPeriod,
    /** True: there is no balance, and both numbers stand for "as many as you like". */
    unmetered: z.boolean().optional(),
    /** Credits set aside for running work. */
    reservedCredits: z.number().optional(),
  }),
})

/** Answer of `GET /v2/team/token-usage`. */
export const tokenUsageResponse = z.looseObject({
  success: z.literal(true),
  data: z.looseObject({ remainingTokens: z.number(), planTokens: z.number(), ...billingPeriod }),
})

/** Answer of `GET /v1/team/credit-usage`. */
export const creditUsageResponseV1 = z.looseObject({
  success: z.literal(true),
  data: z.looseObject({ remaining_credits: z.number(), plan_credits: z.number(), ...billingPeriodV1 }),
})

/** Answer of `GET /v1/team/token-usage`. */
export const tokenUsageResponseV1 = z.looseObject({
  success: z.literal(true),
  data: z.looseObject({ remaining_tokens: z.number(), plan_tokens: z.number(), ...billingPeriodV1 }),
})

/** Answer of `GET /v2/team/queue-status`. */
export const queueStatusResponse = z.looseObject({
  success: z.literal(true),
  jobsInQueue: z.number(),
  activeJobsInQueue: z.number(),
  waitingJobsInQueue: z.number(),
  maxConcurrency: z.number(),
  /** When the team was last billed for something; null: never. */
  mostRecentSuccess: z.string().nullable(),
})

/** Answer of `GET /v2/concurrency-check`. */
export const concurrencyResponse = z.looseObject({
  success: z.literal(true),
  /** Sessions and scrapes that run now. */
  concurrency: z.number(),
  /** The limit of the team, else what the servers can hold. */
  maxConcurrency: z.number(),
})

export type QueueStatus = z.output<typeof queueStatusResponse>
