import { z } from 'zod'
import { clientName } from './bounded.ts'
import { checkV1Options, v1ScrapeFields } from './v1-scrape.ts'
import { pageUrl } from './page-url.ts'
import { pathPatterns } from './path-patterns.ts'
import { checkScrapeOptions, scrapeFields } from './scrape.ts'
import { jobWebhook } from './webhooks.ts'

const patterns = pathPatterns.default([])

const crawlFields = {
  /** Where to start. */
  url: pageUrl,
  /** Regular expressions for paths: only pages that match one are scraped. Default: all. */
  includePaths: patterns,
  /** Regular expressions for paths: pages that match one are left out. */
  excludePaths: patterns,
  /** Whether the expressions are held against the whole address. Default false. */
  regexOnFullURL: z.boolean().default(false),
  /** Most links between the start and a page. Default: no bound. */
  maxDiscoveryDepth: z.int().min(0).max(1000).optional(),
  /** Most pages, 1 to 100,000. Default 10,000. */
  limit: z.int().min(1).max(100_000).default(10_000),
  /** Whether pages that are not under the path of the start are scraped, too. Default false. */
  crawlEntireDomain: z.boolean().optional(),
  /** Whether links to other sites are followed. Default false. */
  allowExternalLinks: z.boolean().default(false),
  /** Whether links to subdomains are followed. Default false. */
  allowSubdomains: z.boolean().default(false),
  /** Whether addresses that differ in their query alone are one page. Default false. */
  ignoreQueryParameters: z.boolean().default(false),
  /** Whether pages that robots.txt forbids are scraped. Default false. */
  ignoreRobotsTxt: z.boolean().default(false),
  /** Accepted and without effect: addresses that mean the same page are always one. */
  deduplicateSimilarURLs: z.boolean().optional(),
  /** Accepted and without effect: robots.txt files know this server by one name. */
  robotsUserAgent: z.string().max(200).optional(),
  /** Seconds between two pages, which are then scraped one at a time. */
  delay: z.number().min(0).max(600).optional(),
  /** Most pages of this crawl at a time. Default: as many as the server does. */
  maxConcurrency: z.int().min(1).max(10_000).optional(),
  /** Hears of the start, of each page and of the end. */
  webhook: jobWebhook.optional(),
  /** Whether nothing of the pages is kept. Default false. */
  zeroDataRetention: z.boolean().optional(),
  /** Name of the client, as clients send it. Not used. */
  origin: clientName.optional(),
  /** Name of an integration, as clients send it. Not used. */
  integration: clientName.nullable().optional(),
} as const

/** Body of `POST /v2/crawl`. Unknown keys are refused. */
export const crawlRequest = z.strictObject({
  ...crawlFields,
  /** Options in words. A language model of the server writes those that are absent; without one, a `warning` says so. */
  prompt: z.string().max(10_000).optional(),
  /** `include`: the pages of sitemaps and the links of pages; `skip`: no sitemaps; `only`: no links. Default `include`. */
  sitemap: z.enum(['include', 'skip', 'only']).default('include'),
  /** How each page is scraped. */
  scrapeOptions: z.strictObject(scrapeFields).superRefine(checkScrapeOptions).prefault({}),
})

/** Body of `POST /v1/crawl`. Unknown keys are refused. */
export const v1CrawlRequest = z.strictObject({
  ...crawlFields,
  /** Most parts of a path beyond that of the start. Default: no bound. */
  maxDepth: z.int().min(0).max(1000).optional(),
  /** Whether sitemaps are left alone. Default false. */
  ignoreSitemap: z.boolean().default(false),
  /** An older name of `crawlEntireDomain`. */
  allowBackwardLinks: z.boolean().optional(),
  scrapeOptions: z.strictObject(v1ScrapeFields).superRefine(checkV1Options).prefault({}),
})

/** Answer of the list of crawls that run. */
export const activeCrawlsResponse = z.looseObject({
  success: z.literal(true),
  crawls: z.array(
    z.looseObject({
      id: z.string(),
      teamId: z.string(),
      url: z.string(),
      created_at: z.string(),
      options: z.record(z.string(), z.unknown()),
    }),
  ),
})

/** Answer of `POST /v2/crawl/params-preview`. */
export const crawlPreviewResponse = z.looseObject({
  success: z.literal(true),
  /** The address, and the options that a language model wrote. */
  data: z.looseObject({ url: z.string() }),
})

/** Body of `POST /v2/crawl/params-preview`. */
export const crawlPreviewRequest = z.looseObject({ url: pageUrl, prompt: z.string().min(1).max(10_000) })

export type CrawlRequest = z.output<typeof crawlRequest>
export type V1CrawlRequest = z.output<typeof v1CrawlRequest>
/** What a caller may say about a crawl besides its start. */
export type CrawlInput = Omit<z.input<typeof crawlRequest>, 'url'>
