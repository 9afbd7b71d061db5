import { z } from 'zod'
import { withAlternative } from './alternative.ts'
import { boundedArray, clientName } from './bounded.ts'
import { pageUrl } from './page-url.ts'
import { pathPatterns } from './path-patterns.ts'
import { schedule } from './schedule.ts'
import { scrapeRequest } from './scrape.ts'
import { domain, hasOneList } from './search.ts'
import { monitorWebhook } from './webhooks.ts'

/** Limits of monitors. */
export const monitorLimits = {
  targets: 50,
  urls: 1000,
  crawlPages: { default: 100, max: 1000 },
  retentionDays: { min: 1, max: 365, default: 30 },
  recipients: 25,
} as const

/** Scrape options of a target, as in `POST /v2/scrape`. Markdown is added to the formats. */
const scrapeOptions = z.record(z.string(), z.unknown()).superRefine((options, context) => {
  if ('url' in options)
    context.addIssue({ code: 'custom', message: 'Set the URL in the target, not in `scrapeOptions`', input: options })
  if (options['zeroDataRetention'] === true) {
    const message = 'Monitors store pages to compare them, so `zeroDataRetention` is not supported'
    context.addIssue({ code: 'custom', message, path: ['zeroDataRetention'], input: options })
  }
  const formats = options['formats'] === undefined ? [] : options['formats']
  const parsed = scrapeRequest.safeParse({
    ...options,
    url: 'https://example.com',
    formats: Array.isArray(formats) ? withMarkdown(formats) : formats,
  })
  for (const issue of parsed.error?.issues ?? []) {
    context.addIssue({ ...issue, input: options } as Parameters<typeof context.addIssue>[0])
  }
})

/** Adds Markdown to the formats, since pages are compared by their Markdown. */
export function withMarkdown(formats: readonly unknown[]): readonly unknown[] {
  return formats.some((each) => each === 'markdown' || (each as { type?: unknown } | null)?.type === 'markdown')
    ? formats
    : [...formats, 'markdown']
}

const crawlOptions = z.strictObject({
  /** Maximum number of pages, 1 to 1000. Default: 100. */
  limit: z.int().min(1).max(monitorLimits.crawlPages.max).nullable().optional(),
  /** Regular expressions. Only pages whose path matches one are checked. */
  includePaths: pathPatterns.nullable().optional(),
  /** Regular expressions. Pages whose path matches one are skipped. */
  excludePaths: pathPatterns.nullable().optional(),
  /** Matches the expressions against the whole URL instead of the path. Default: false. */
  regexOnFullURL: z.boolean().optional(),
  sitemap: z.enum(['include', 'skip', 'only']).optional(),
  ignoreQueryParameters: z.boolean().optional(),
  /** Includes pages outside the path of the URL. Default: false. */
  crawlEntireDomain: z.boolean().optional(),
  allowSubdomains: z.boolean().optional(),
  /** Checks pages that robots.txt disallows. Default: false. */
  ignoreRobotsTxt: z.boolean().optional(),
  /**
   * Accepted for compatibility, without effect, like the two options below: equivalent URLs are
   * always deduplicated.
   */
  deduplicateSimilarURLs: z.boolean().optional(),
  maxConcurrency: z.int().min(1).max(10_000).nullable().optional(),
  robotsUserAgent: z.string().max(200).nullable().optional(),
  /** Only `false` or absent: add other sites as targets instead. */
  allowExternalLinks: z
    .literal(false, { error: 'A monitor does not follow links to other sites. Add them as targets' })
    .optional(),
})

const targetId = z.guid('must be the id of a target').optional()

/** A target: pages by their URLs. */
export const scrapeTarget = z.strictObject({
  id: targetId,
  type: z.literal('scrape'),
  /** URLs of the pages. */
  urls: boundedArray(pageUrl, monitorLimits.urls, 1),
  /** How each page is scraped. */
  scrapeOptions: scrapeOptions.optional(),
})

/** A target: the pages of a site. */
export const crawlTarget = z.strictObject({
  id: targetId,
  type: z.literal('crawl'),
  /** URL from which the pages are found. */
  url: pageUrl.clone(),
  /** Which pages are checked. */
  crawlOptions: crawlOptions.optional(),
  /** How each page is scraped. */
  scrapeOptions: scrapeOptions.optional(),
})

const domains = boundedArray(domain, 50).optional()

/** A target: the results of searches. */
export const searchTarget = z
  .strictObject({
    id: targetId,
    type: z.literal('search'),
    /** Searches, 1 to 12. */
    queries: boundedArray(z.string().trim().min(1).max(256), 12, 1),
    /** Age of the results. Default: `24h`. */
    searchWindow: z.enum(['5m', '15m', '1h', '6h', '24h', '7d']).default('24h'),
    /** Only results of these sites and their subdomains. */
    includeDomains: domains.clone(),
    /** No results of these sites and their subdomains. */
    excludeDomains: domains.clone(),
    /** Maximum number of results per query, 1 to 50. Default: 10. */
    maxResults: z.int().min(1).max(50).default(10),
  })
  .refine(hasOneList, { error: 'includeDomains and excludeDomains cannot be combined', path: ['excludeDomains'] })

const targetUnion = z.discriminatedUnion('type', [scrapeTarget, crawlTarget, searchTarget])

/** Keys of search targets that public clients send and that have no effect. */
const ignoredKeys: ReadonlySet<string> = new Set(['depth', 'alertMode', 'recheckAfter', 'scrapeOptions'])

/**
 * Accepts targets as public clients send them: `url` instead of `urls`, and ignored search options.
 */
function normalizeTarget(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value
  if (value.type === 'search') {
    return Object.fromEntries(Object.entries(value).filter(([name]) => !ignoredKeys.has(name)))
  }
  if (value.type !== 'scrape' || !('url' in value) || 'urls' in value) return value
  const { url, ...rest } = value
  return { ...rest, urls: [url] }
}

const target = withAlternative(
  targetUnion,
  normalizeTarget,
  scrapeTarget.omit({ urls: true }).extend({ url: pageUrl.clone() }),
)

/** Notifications in addition to the webhook. */
export const notification = z.strictObject({
  email: z
    .strictObject({
      enabled: z.boolean().default(false),
      recipients: boundedArray(z.email('must be an email address').max(254), monitorLimits.recipients).default([]),
      /** Includes diffs in emails. Default: false. */
      includeDiffs: z.boolean().default(false),
    })
    .optional(),
  /** Accepted only if it is not enabled: Slack is not supported. */
  slack: z
    .looseObject({ enabled: z.boolean().default(false) })
    .refine(({ enabled }) => !enabled, 'Slack is not supported. Use a webhook')
    .refine((slack) => JSON.stringify(slack).length <= 2000, 'It must have at most 2000 characters of JSON')
    .optional(),
})

function hasUniqueIds(targets: readonly { readonly id?: string | undefined }[]): boolean {
  const ids = targets.flatMap(({ id }) => id?.toLowerCase() ?? [])
  return new Set(ids).size === ids.length
}

const fields = {
  name: z.string().min(1).max(256),
  schedule,
  /** 1 to 50. */
  targets: boundedArray(target, monitorLimits.targets, 1).refine(
    hasUniqueIds,
    'Two targets have the same id. Remove it from one of them',
  ),
  webhook: monitorWebhook.nullable(),
  notification,
  /** Days that checks are kept, 1 to 365. Default: 30. */
  retentionDays: z.int().min(monitorLimits.retentionDays.min).max(monitorLimits.retentionDays.max),
  /** Goal by which a language model judges changes. */
  goal: z.string().max(2000).nullable(),
  /** Judges changes with a language model. Default: true if `goal` is set. */
  judgeEnabled: z.boolean(),
} as const

const clientFields = {
  /** Name of the client program. Ignored. */
  origin: clientName.optional(),
  /** Name of the integration. Ignored. */
  integration: clientName.nullable().optional(),
} as const

/** Body of `POST /v2/monitor`. Unknown keys are rejected. */
export const createMonitorRequest = z.strictObject({
  /** Name of the monitor, 1 to 256 characters. */
  name: fields.name,
  /** When the monitor runs: in words or as a cron expression. */
  schedule: fields.schedule,
  /** Pages, sites or searches to check, 1 to 50. */
  targets: fields.targets,
  /** URL or webhook that receives the results of each page and check. Default: none. */
  webhook: fields.webhook.optional(),
  // Public clients send `null` for no notifications.
  notification: withAlternative(fields.notification.default({}), (value) => value ?? undefined, z.null()),
  /** Days that checks are kept, 1 to 365. Default: 30. */
  retentionDays: fields.retentionDays.default(monitorLimits.retentionDays.default),
  /** Goal by which a language model judges changes, up to 2000 characters. */
  goal: fields.goal.optional(),
  /**
   * Judges changes with a language model. Without a `goal`, all but changed dates, counters,
   * advertisements and wording are meaningful. Default: true if `goal` is set.
   */
  judgeEnabled: fields.judgeEnabled.optional(),
  ...clientFields,
})

/** Body of `PATCH /v2/monitor/{id}`. Absent fields stay the same. Unknown keys are rejected. */
export const updateMonitorRequest = z
  .strictObject({
    /** New name, 1 to 256 characters. */
    name: fields.name.optional(),
    /** `paused` stops runs until the status is `active` again. */
    status: z.enum(['active', 'paused']).optional(),
    /** New schedule, from the time of the change on. */
    schedule: fields.schedule.optional(),
    /** All targets. Those with the `id` of an existing target keep its history. */
    targets: fields.targets.optional(),
    /** New webhook. `null` removes it. */
    webhook: fields.webhook.optional(),
    /** `null` disables notifications. */
    notification: fields.notification.nullable().optional(),
    /** Days that checks are kept, 1 to 365. */
    retentionDays: fields.retentionDays.optional(),
    /** Goal by which a language model judges changes. `null` removes it. */
    goal: fields.goal.optional(),
    /** Judges changes with a language model. */
    judgeEnabled: fields.judgeEnabled.optional(),
    ...clientFields,
  })
  .refine(
    ({ origin: _origin, integration: _integration, ...body }) =>
      Object.values(body).some((value) => value !== undefined),
    {
      message: 'Update body cannot be empty',
    },
  )

export type Target = z.output<typeof target>
export type ScrapeTarget = z.output<typeof scrapeTarget>
export type SearchTarget = z.output<typeof searchTarget>
export type CrawlTarget = z.output<typeof crawlTarget>
export type Notification = z.output<typeof notification>
export type CreateMonitorRequest = z.output<typeof createMonitorRequest>
export type UpdateMonitorRequest = z.output<typeof updateMonitorRequest>
/**
 * Options of a new monitor.
 *
 * @example
 * ```ts
 * import { Bowline, type CreateMonitorOptions } from 'bowline'
 *
 * const options: CreateMonitorOptions = {
 *   name: 'Prices',
 *   schedule: { text: 'daily at 9:00', timezone: 'Europe/Berlin' },
 *   targets: [{ type: 'scrape', urls: ['https://example.com'] }],
 *   retentionDays: 90,
 * }
 * const { monitors } = new Bowline()
 * const { id, nextRunAt } = await monitors.create(options)
 * console.log(nextRunAt)
 * await monitors.delete(id)
 * ```
 */
export type CreateMonitorOptions = z.input<typeof createMonitorRequest>
/**
 * Changes of a monitor. Absent fields stay the same.
 *
 * @example
 * ```ts
 * import { Bowline, type UpdateMonitorOptions } from 'bowline'
 *
 * const { monitors } = new Bowline()
 * const targets = [{ type: 'scrape' as const, urls: ['https://example.com'] }]
 * const { id } = await monitors.create({ name: 'News', schedule: { cron: '0 6 * * *' }, targets })
 * const change: UpdateMonitorOptions = { status: 'paused', retentionDays: 7 }
 * console.log((await monitors.update(id, change)).status)
 * await monitors.delete(id)
 * ```
 */
export type UpdateMonitorOptions = z.input<typeof updateMonitorRequest>
