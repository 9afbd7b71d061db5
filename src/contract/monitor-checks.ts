import { z } from 'zod'

const time = z.string().nullable()
const count = z.int()

/** Number of pages of a check by status. */
export const checkSummary = z.looseObject({
  totalPages: count,
  same: count,
  changed: count,
  new: count,
  removed: count,
  error: count,
})

/** Status of a check. */
export const checkStatus = z.enum([
  'queued',
  'running',
  'completed',
  'failed',
  'partial',
  'skipped_overlap',
  'skipped_no_credits',
])

/** Status of a page compared with the previous check. */
export const pageStatus = z.enum(['same', 'new', 'changed', 'removed', 'error'])

/** A monitor. */
export const monitor = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: z.enum(['active', 'paused', 'deleted']),
  /** `text` is present if the schedule was set in words. */
  schedule: z.looseObject({ cron: z.string(), timezone: z.string(), text: z.string().optional() }),
  nextRunAt: time,
  lastRunAt: time,
  currentCheckId: z.string().nullable(),
  targets: z.array(
    z.looseObject({
      id: z.string(),
      type: z.enum(['scrape', 'crawl', 'search']),
      urls: z.array(z.string()).optional(),
      url: z.string().optional(),
    }),
  ),
  webhook: z
    .looseObject({
      url: z.string(),
      headers: z.record(z.string(), z.string()).optional(),
      metadata: z.record(z.string(), z.string()).optional(),
      events: z.array(z.string()).optional(),
    })
    .nullable(),
  notification: z.looseObject({}),
  emailRecipientSubscriptions: z
    .array(
      z.looseObject({
        email: z.string(),
        status: z.enum(['pending', 'confirmed', 'unsubscribed']),
        source: z.string(),
        confirmationEmailSent: z.boolean(),
      }),
    )
    .optional(),
  retentionDays: z.int(),
  estimatedCreditsPerMonth: z.int(),
  lastCheckSummary: checkSummary.nullable(),
  goal: z.string().nullable().optional(),
  judgeEnabled: z.boolean().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
})

/** A run of a monitor. */
export const check = z.looseObject({
  id: z.string(),
  monitorId: z.string(),
  status: checkStatus,
  trigger: z.enum(['scheduled', 'manual']),
  scheduledFor: time,
  startedAt: time,
  finishedAt: time,
  estimatedCredits: z.int().nullable(),
  reservedCredits: z.int().nullable(),
  actualCredits: z.int().nullable(),
  billingStatus: z.enum(['not_applicable', 'reserved', 'confirmed', 'released', 'failed']),
  summary: checkSummary,
  targetResults: z.array(
    z.looseObject({
      targetId: z.string(),
      type: z.string(),
      /**
       * Names omitted data, such as the rest of a robots.txt that is too long, and limits of
       * searches.
       */
      warning: z.string().optional(),
    }),
  ),
  notificationStatus: z.looseObject({}).nullable(),
  error: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})

/** Judgment of a change by a language model. */
export const judgment = z.looseObject({
  meaningful: z.boolean(),
  confidence: z.enum(['high', 'medium', 'low']),
  reason: z.string(),
  meaningfulChanges: z.array(z.looseObject({ type: z.enum(['added', 'removed', 'changed']) })),
})

/** Changes of a page: a text diff of its Markdown, or changed JSON fields by path. */
export const pageDiff = z.looseObject({
  text: z.string().optional(),
  json: z.looseObject({}).optional(),
  /** Set if the diff is coarser than that of `git diff`. */
  warning: z.string().optional(),
})

/** A page of a check. */
export const checkPage = z.looseObject({
  id: z.string(),
  targetId: z.string(),
  url: z.string(),
  status: pageStatus,
  previousScrapeId: z.string().nullable(),
  currentScrapeId: z.string().nullable(),
  statusCode: z.int().nullable(),
  error: z.string().nullable(),
  metadata: z.looseObject({}).nullable(),
  judgment: judgment.nullable(),
  diff: pageDiff.nullable(),
  /** Extracted data, with the format `json`. */
  snapshot: z.looseObject({ json: z.unknown() }).optional(),
  createdAt: z.string(),
})

const success = z.literal(true)
const limit = z.coerce.number<number | string>().int().min(1).max(100).default(25)
const offset = z.coerce.number<number | string>().int().min(0).default(0)

/** Path parameters of a monitor. */
export const monitorParams = z.object({ id: z.guid('must be the id of a monitor') })

/** Path parameters of a check. */
export const checkParams = monitorParams.extend({ checkId: z.guid('must be the id of a check') })

/** Query of `GET /v2/monitor`. */
export const listMonitorsQuery = z.object({
  limit,
  offset,
  /**
   * Only monitors whose name contains this text, whose id starts with it, or that have a check with
   * this id.
   */
  search: z.string().trim().min(1).max(200).optional(),
})

/** Query of `GET /v2/monitor/{id}/checks`. */
export const listChecksQuery = z.object({
  limit,
  offset,
  status: checkStatus.optional(),
  /** Only checks that were created at this time or later. */
  from: z.iso.datetime({ offset: true }).optional(),
  /** Only checks that were created before this time. */
  to: z.iso.datetime({ offset: true }).optional(),
})

/** Query of `GET /v2/monitor/{id}/checks/{checkId}`. Selects the pages of the check. */
export const getCheckQuery = z.object({ limit, skip: offset, status: pageStatus.optional() })

export const monitorResponse = z.looseObject({ success, data: monitor })
export const listMonitorsResponse = z.looseObject({ success, data: z.array(monitor) })
export const deleteMonitorResponse = z.looseObject({ success })
export const runMonitorResponse = z.looseObject({ success, id: z.string(), data: check })
export const listChecksResponse = z.looseObject({ success, data: z.array(check) })
export const getCheckResponse = z.looseObject({
  success,
  /** URL of the next pages. Absent on the last page. */
  next: z.string().optional(),
  data: check.extend({ pages: z.array(checkPage), next: z.string().optional() }),
})

/**
 * A monitor with its targets and its next run.
 *
 * @example
 * ```ts
 * import { Bowline, type Monitor } from 'bowline'
 *
 * const monitors: readonly Monitor[] = await new Bowline().monitors.list()
 * for (const { name, status, nextRunAt } of monitors) console.log(name, status, nextRunAt)
 * ```
 */
export type Monitor = z.output<typeof monitor>

/**
 * A check of a monitor with its counts of pages and its cost.
 *
 * @example
 * ```ts
 * import type { Check } from 'bowline'
 *
 * function describe({ status, summary, actualCredits }: Check): string {
 *   return `${status}: ${summary.changed} changed, ${actualCredits ?? 0} credits`
 * }
 * ```
 */
export type Check = z.output<typeof check>
export type CheckStatus = z.output<typeof checkStatus>
export type CheckSummary = z.output<typeof checkSummary>

/**
 * A page of a check, with what changed on it.
 *
 * @example
 * ```ts
 * import type { CheckPage } from 'bowline'
 *
 * function print({ url, status, diff }: CheckPage): void {
 *   if (status === 'changed') console.log(url, diff?.text)
 * }
 * ```
 */
export type CheckPage = z.output<typeof checkPage>
export type PageStatus = z.output<typeof pageStatus>
export type PageDiff = z.output<typeof pageDiff>
export type Judgment = z.output<typeof judgment>
