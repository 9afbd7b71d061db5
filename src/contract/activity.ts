import { z } from 'zod'

/** What the filter of the activity takes. */
export const activityEndpoints = [
  'scrape',
  'crawl',
  'batch_scrape',
  'search',
  'extract',
  'llmstxt',
  'deep_research',
  'map',
  'agent',
  'browser',
  'interact',
] as const

/** Jobs on one page of the activity: what is said of the `limit` of a query. */
export const activityLimits = { default: 50, max: 100 } as const

/** Query of `GET /v2/team/activity`. A limit that is no number means the default, one too large the maximum. */
export const activityQuery = z.object({
  endpoint: z.string().optional(),
  limit: z.string().optional(),
  cursor: z.string().optional(),
})

/** One job of the last 24 hours. */
export const activityRecord = z.looseObject({
  id: z.string(),
  endpoint: z.string(),
  api_version: z.string(),
  created_at: z.string(),
  /** Address, first address or query; null: there is none. */
  target: z.string().nullable(),
  /** Error code of a call that failed, such as `SCRAPE_TIMEOUT`. Absent if it succeeded. */
  error: z.string().optional(),
})

/** Answer of `GET /v2/team/activity`, newest first. `cursor` asks for the next page; null on the last. */
export const activityResponse = z.looseObject({
  success: z.literal(true),
  data: z.array(activityRecord),
  cursor: z.string().nullable(),
  has_more: z.boolean(),
})

export type ActivityEndpoint = (typeof activityEndpoints)[number]
