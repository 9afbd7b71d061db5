import { z } from 'zod'
import { clientName } from './bounded.ts'
import { checkV1Options, v1ScrapeFields } from './v1-scrape.ts'
import { pageUrl } from './page-url.ts'
import { pathPatterns } from './path-patterns.ts'
import { checkScrapeOptions, clientFields, scrapeFields } from './scrape.ts'
import { jobWebhook } from './webhooks.ts'

const crawlFields = {
  /** Start URL. */
  url: pageUrl,
  /** Regular expressions. Only pages whose path matches one are scraped. Default: all pages. */
  includePaths: pathPatterns.default([]),
  /** Regular expressions. Pages whose path matches one are skipped. */
  excludePaths: pathPatterns.default([]),
  /** Matches the expressions against the whole URL instead of the path. Default: false. */
  regexOnFullURL: z.boolean().default(false),
  /** Maximum number of links between the start page and a page. Default: no limit. */
  maxDiscoveryDepth: z.int().min(0).max(1000).optional(),
  /** Maximum number of pages, 1 to 100000. Default: 10000. */
  limit: z.int().min(1).max(100_000).default(10_000),
  /** Includes pages outside the path of the start URL. Default: false. */
  crawlEntireDomain: z.boolean().optional(),
  /** Follows links to other sites. Default: false. */
  allowExternalLinks: z.boolean().default(false),
  /** Follows links to subdomains. Default: false. */
  allowSubdomains: z.boolean().default(false),
  /** Treats URLs that differ only in their query as one page. Default: false. */
  ignoreQueryParameters: z.boolean().default(false),
  /** Scrapes pages that robots.txt disallows. Default: false. */
  ignoreRobotsTxt: z.boolean().default(false),
  /** Accepted for compatibility, without effect: equivalent URLs are always deduplicated. */
  deduplicateSimilarURLs: z.boolean().optional(),
  /** Accepted for compatibility, without effect: this server has one user agent for robots.txt. */
  robotsUserAgent: z.string().max(200).optional(),
  /** Delay between two pages in seconds. Pages are then scraped one at a time. */
  delay: z.number().min(0).max(600).optional(),
  /** Maximum number of pages of this crawl scraped at once. Default: the limit of the server. */
  maxConcurrency: z.int().min(1).max(10_000).optional(),
  /** Receives events for the start, each page and the end of the job. */
  webhook: jobWebhook.optional(),
  /** Does not store any content of the pages. Default: false. */
  zeroDataRetention: z.boolean().optional(),
  /** Name of the client program. Ignored. */
  origin: clientName.optional(),
  /** Name of the integration. Ignored. */
  integration: clientName.nullable().optional(),
} as const

/** Body of `POST /v2/crawl`. Unknown keys are rejected. */
export const crawlRequest = z.strictObject({
  ...crawlFields,
  /**
   * Description of the crawl. The language model of the server derives options that are not set;
   * without a language model, or if it derives no options, the response has a `warning`.
   */
  prompt: z.string().max(10_000).optional(),
  /**
   * `include`: sitemaps and links; `skip`: links only; `only`: sitemaps only. Default: `include`.
   */
  sitemap: z.enum(['include', 'skip', 'only']).default('include'),
  /** Scrape options of each page. */
  scrapeOptions: z.strictObject(scrapeFields).superRefine(checkScrapeOptions).prefault({}),
})

/** Body of `POST /v1/crawl`. Unknown keys are rejected. */
export const v1CrawlRequest = z.strictObject({
  ...crawlFields,
  /** Maximum number of path segments below the start URL. Default: no limit. */
  maxDepth: z.int().min(0).max(1000).optional(),
  /** Does not read sitemaps. Default: false. */
  ignoreSitemap: z.boolean().default(false),
  /** Previous name of `crawlEntireDomain`. */
  allowBackwardLinks: z.boolean().optional(),
  /** Scrape options of each page. */
  scrapeOptions: z.strictObject(v1ScrapeFields).superRefine(checkV1Options).prefault({}),
})

/** Response of `GET /v2/crawl/active`. */
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

/** Response of `POST /v2/crawl/params-preview`. */
export const crawlPreviewResponse = z.looseObject({
  success: z.literal(true),
  /** The URL and the options that the language model derived. */
  data: z.looseObject({ url: z.string() }),
})

/** Body of `POST /v2/crawl/params-preview`. Unknown keys are rejected. */
export const crawlPreviewRequest = z.strictObject({
  url: pageUrl,
  prompt: z.string().min(1).max(10_000),
  ...clientFields,
})

export type CrawlRequest = z.output<typeof crawlRequest>
export type V1CrawlRequest = z.output<typeof v1CrawlRequest>
/**
 * Options of a crawl.
 *
 * @example
 * ```ts
 * import { Bowline, type CrawlInput } from 'bowline'
 *
 * const options: CrawlInput = {
 *   limit: 3,
 *   maxDiscoveryDepth: 2,
 *   excludePaths: ['^/admin'],
 *   scrapeOptions: { formats: ['markdown'] },
 * }
 * const { documents, warning } = await new Bowline().crawl('https://example.com', options)
 * console.log(documents.length, warning)
 * ```
 */
export type CrawlInput = Omit<z.input<typeof crawlRequest>, 'url'>
