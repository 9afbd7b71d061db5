import { z } from 'zod'
import { boundedArray, clientName } from './bounded.ts'
import { pageUrl } from './page-url.ts'
import { pathPatterns } from './path-patterns.ts'
import { schedule } from './schedule.ts'
import { scrapeRequest } from './scrape.ts'
import { domain, hasOneList } from './search.ts'
import { monitorWebhook } from './webhooks.ts'

/** Bounds of a monitor. */
export const monitorLimits = {
  targets: 50,
  urls: 1000,
  crawlPages: { default: 100, max: 1000 },
  retentionDays: { min: 1, max: 365, default: 30 },
  recipients: 25,
} as const

/** How pages of a monitor are scraped: what `POST /v2/scrape` takes. Markdown is added to the formats. */
const scrapeOptions = z.record(z.string(), z.unknown()).superRefine((options, context) => {
  if ('url' in options)
    context.addIssue({ code: 'custom', message: 'The address belongs to the target', input: options })
  if (options['zeroDataRetention'] === true) {
    const message = 'A monitor keeps pages to compare them, and zeroDataRetention forbids it'
    context.addIssue({ code: 'custom', message, path: ['zeroDataRetention'], input: options })
  }
  const formats = options['formats'] === undefined ? [] : options['formats']
  const parsed = scrapeRequest.safeParse({
    ...options,
    url: 'https://example.com',
    formats: Array.isArray(formats) ? withMarkdown(formats) : formats,
  })
  for (const { path, message, code } of parsed.error?.issues ?? []) {
    const keys = code === 'unrecognized_keys' ? 'This server has no such option: ' : ''
    context.addIssue({ code: 'custom', message: `${keys}${message}`, path, input: options })
  }
})

/** The formats with Markdown among them: pages are compared by it. */
export function withMarkdown(formats: readonly unknown[]): readonly unknown[] {
  return formats.some((each) => each === 'markdown' || (each as { type?: unknown } | null)?.type === 'markdown')
    ? formats
    : ['markdown', ...formats]
}

const patterns = pathPatterns.nullable().optional()

const crawlOptions = z.strictObject({
  /** Most pages, 1 to 1000. Default 100. */
  limit: z.int().min(1).max(monitorLimits.crawlPages.max).nullable().optional(),
  /** Regular expressions, one of which the path of a page has to match. */
  includePaths: patterns,
  /** Regular expressions, none of which it may match. */
  excludePaths: patterns,
  /** Whether the expressions are held against the whole address. Default false. */
  regexOnFullURL: z.boolean().optional(),
  sitemap: z.enum(['include', 'skip', 'only']).optional(),
  ignoreQueryParameters: z.boolean().optional(),
  /** Whether pages above the path of the address count. Default false. */
  crawlEntireDomain: z.boolean().optional(),
  allowSubdomains: z.boolean().optional(),
  /** Whether pages that robots.txt forbids are watched. Default false. */
  ignoreRobotsTxt: z.boolean().optional(),
  /** Accepted and without effect, like the two below: addresses that mean the same page are always one. */
  deduplicateSimilarURLs: z.boolean().optional(),
  maxConcurrency: z.int().min(1).max(10_000).nullable().optional(),
  robotsUserAgent: z.string().max(200).nullable().optional(),
  /** Only false or absent: pages of other sites are targets of their own. */
  allowExternalLinks: z.literal(false, { error: 'A monitor does not follow links to other sites' }).optional(),
})

const targetId = z.guid('it is no id of a target').optional()

const scrapeTarget = z.strictObject({
  id: targetId,
  type: z.literal('scrape'),
  urls: boundedArray(pageUrl, monitorLimits.urls, 1),
  scrapeOptions: scrapeOptions.optional(),
})

const crawlTarget = z.strictObject({
  id: targetId,
  type: z.literal('crawl'),
  url: pageUrl,
  crawlOptions: crawlOptions.optional(),
  scrapeOptions: scrapeOptions.optional(),
})

const domains = boundedArray(domain, 50).optional()

const searchTarget = z
  .strictObject({
    id: targetId,
    type: z.literal('search'),
    queries: boundedArray(z.string().trim().min(1).max(256), 12, 1),
    searchWindow: z.enum(['5m', '15m', '1h', '6h', '24h', '7d']).default('24h'),
    includeDomains: domains,
    excludeDomains: domains,
    maxResults: z.int().min(1).max(50).default(10),
  })
  .refine(hasOneList, { error: 'includeDomains and excludeDomains exclude each other', path: ['excludeDomains'] })

const targetUnion = z.discriminatedUnion('type', [scrapeTarget, crawlTarget, searchTarget])

/** Keys of search targets that public clients send and that no server reads. */
const unreadKeys: ReadonlySet<string> = new Set(['depth', 'alertMode', 'recheckAfter', 'scrapeOptions'])

/** Accepts targets as public clients send them: `url` for `urls`, and options of searches that have no effect. */
function spellTarget(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value
  if (value.type === 'search') {
    return Object.fromEntries(Object.entries(value).filter(([name]) => !unreadKeys.has(name)))
  }
  if (value.type !== 'scrape' || !('url' in value) || 'urls' in value) return value
  const { url, ...rest } = value
  return { ...rest, urls: [url] }
}

const target = z.preprocess(spellTarget, targetUnion) as unknown as typeof targetUnion

/** Who is told, and what, beside a webhook. */
const notification = z.strictObject({
  email: z
    .strictObject({
      enabled: z.boolean().default(false),
      recipients: boundedArray(z.email('it is no e-mail address').max(254), monitorLimits.recipients).default([]),
      /** Whether mails show what changed. Default false. */
      includeDiffs: z.boolean().default(false),
    })
    .optional(),
  /** Accepted when it is not enabled: this server does not write to Slack. */
  slack: z
    .looseObject({ enabled: z.boolean().default(false) })
    .refine(({ enabled }) => !enabled, 'This server does not write to Slack: use a webhook')
    .refine((slack) => JSON.stringify(slack).length <= 2000, 'It must have at most 2000 characters of JSON')
    .optional(),
})

function hasOwnIds(targets: readonly { readonly id?: string | undefined }[]): boolean {
  const ids = targets.flatMap(({ id }) => id?.toLowerCase() ?? [])
  return new Set(ids).size === ids.length
}

const fields = {
  name: z.string().min(1).max(256),
  schedule,
  /** 1 to 50. */
  targets: boundedArray(target, monitorLimits.targets, 1).refine(
    hasOwnIds,
    'Two targets have the same id: leave it out of one of them',
  ),
  webhook: monitorWebhook.nullable(),
  notification,
  /** Days that checks are kept, 1 to 365. Default 30. */
  retentionDays: z.int().min(monitorLimits.retentionDays.min).max(monitorLimits.retentionDays.max),
  /** What matters of a change, for the language model that judges changes. */
  goal: z.string().max(2000).nullable(),
  /** Whether a language model judges changes. Default: whether there is a goal. */
  judgeEnabled: z.boolean(),
} as const

const clientFields = {
  /** Name of the client, as clients send it. Not used. */
  origin: clientName.optional(),
  /** Name of an integration, as clients send it. Not used. */
  integration: clientName.nullable().optional(),
} as const

/** Body of `POST /v2/monitor`. Unknown keys are refused. */
export const createMonitorRequest = z.strictObject({
  name: fields.name,
  schedule: fields.schedule,
  targets: fields.targets,
  webhook: fields.webhook.optional(),
  notification: fields.notification.default({}),
  retentionDays: fields.retentionDays.default(monitorLimits.retentionDays.default),
  goal: fields.goal.optional(),
  judgeEnabled: fields.judgeEnabled.optional(),
  ...clientFields,
})

/** Body of `PATCH /v2/monitor/{id}`: what is absent stays. Unknown keys are refused. */
export const updateMonitorRequest = z
  .strictObject({
    name: fields.name.optional(),
    /** `paused`: no runs until it is `active` again. */
    status: z.enum(['active', 'paused']).optional(),
    schedule: fields.schedule.optional(),
    targets: fields.targets.optional(),
    webhook: fields.webhook.optional(),
    /** Null: nobody is told any more. */
    notification: fields.notification.nullable().optional(),
    retentionDays: fields.retentionDays.optional(),
    goal: fields.goal.optional(),
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
export type CreateMonitorOptions = z.input<typeof createMonitorRequest>
export type UpdateMonitorOptions = z.input<typeof updateMonitorRequest>
