import { z } from 'zod'
import { auditMetadata } from './audit.ts'

/**
 * Values of the `endpoint` filter of the activity. Only scrape, batch_scrape, crawl, map, search,
 * extract, agent, browser and interact are recorded; the others are accepted from public clients.
 */
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

/** Values of the `endpoint` filter with recorded calls. */
export const recordedEndpoints = activityEndpoints.filter((name) => name !== 'llmstxt' && name !== 'deep_research')

/** Page size of the activity. */
export const activityLimits = { default: 50, max: 100 } as const

/**
 * Query of `GET /v2/team/activity`. A `limit` that is not a number is replaced by the default, one
 * that is too large by the maximum.
 */
export const activityQuery = z.object({
  endpoint: z.string().optional(),
  /** Only calls whose id starts with this text, or whose target or error code contain it. */
  search: z.string().trim().min(1).max(200).optional(),
  /** Only failed calls, or only others. */
  failed: z.enum(['true', 'false']).optional(),
  /** Only calls at this time or later. */
  from: z.iso.datetime({ offset: true }).optional(),
  /** Only calls before this time. */
  to: z.iso.datetime({ offset: true }).optional(),
  limit: z.string().optional(),
  cursor: z.string().optional(),
})

/** An API call of the last 24 hours that started a session, scrape, map, search or job. */
export const activityRecord = z.looseObject({
  id: z.string(),
  endpoint: z.string(),
  api_version: z.string(),
  created_at: z.string(),
  /** URL, first URL, query or session name of the call; `null` if it has none. */
  target: z.string().nullable(),
  /**
   * Number of pages of a batch or crawl, with the failed ones. Absent for other calls, and if the
   * job has been removed.
   */
  pages: z.int().optional(),
  /** Error code, such as `SCRAPE_TIMEOUT`. Absent if the call succeeded. */
  error: z.string().optional(),
  /** Metadata of the call, if it sent any. */
  audit_metadata: auditMetadata.optional(),
})

/**
 * Response of `GET /v2/team/activity`, newest first. `cursor` requests the next page; `null` on the
 * last page.
 */
export const activityResponse = z.looseObject({
  success: z.literal(true),
  data: z.array(activityRecord),
  cursor: z.string().nullable(),
  has_more: z.boolean(),
})

export type ActivityQuery = z.output<typeof activityQuery>
export type ActivityEndpoint = (typeof activityEndpoints)[number]
