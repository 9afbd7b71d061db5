import { z } from 'zod'

/** Options by which a crawl finds its pages. */
export interface CrawlPlan {
  /** Start URL. */
  readonly url: string
  /** Maximum number of pages. */
  readonly limit: number
  /** Maximum number of links between the start and a page. Default: unlimited. */
  readonly maxDiscoveryDepth?: number | undefined
  /** Maximum number of path segments beyond those of the start URL. Default: unlimited. */
  readonly maxPathDepth?: number | undefined
  /** Regular expressions. Only pages that match one are scraped. Empty: all pages. */
  readonly includePaths: readonly string[]
  /** Regular expressions. Pages that match one are not scraped. */
  readonly excludePaths: readonly string[]
  /** Match the regular expressions against the whole URL instead of its path. */
  readonly regexOnFullURL: boolean
  readonly crawlEntireDomain: boolean
  readonly allowExternalLinks: boolean
  readonly allowSubdomains: boolean
  readonly ignoreQueryParameters: boolean
  readonly sitemap: 'include' | 'skip' | 'only'
  readonly ignoreRobotsTxt: boolean
  /** Seconds to wait between two pages. */
  readonly delay?: number | undefined
  /** The options as sent, for display. */
  readonly options: Readonly<Record<string, unknown>>
  /** The options that a language model derived from the prompt. */
  readonly promptOptions?: Readonly<Record<string, unknown>> | undefined
}

/** Schema of the options of a stored crawl. */
export const crawlPlan: z.ZodType<CrawlPlan> = z.object({
  url: z.string(),
  limit: z.number(),
  maxDiscoveryDepth: z.number().optional(),
  maxPathDepth: z.number().optional(),
  includePaths: z.array(z.string()),
  excludePaths: z.array(z.string()),
  regexOnFullURL: z.boolean(),
  crawlEntireDomain: z.boolean(),
  allowExternalLinks: z.boolean(),
  allowSubdomains: z.boolean(),
  ignoreQueryParameters: z.boolean(),
  sitemap: z.enum(['include', 'skip', 'only']),
  ignoreRobotsTxt: z.boolean(),
  delay: z.number().optional(),
  options: z.record(z.string(), z.unknown()),
  promptOptions: z.record(z.string(), z.unknown()).optional(),
})
