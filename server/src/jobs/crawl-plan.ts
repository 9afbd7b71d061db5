/** How a crawl finds its pages. */
export interface CrawlPlan {
  /** Address it starts from. */
  readonly url: string
  /** Most pages. */
  readonly limit: number
  /** Most links between the start and a page. Undefined: no bound. */
  readonly maxDiscoveryDepth?: number | undefined
  /** Most parts of a path beyond that of the start. Undefined: no bound. */
  readonly maxPathDepth?: number | undefined
  /** Regular expressions: only pages that match one are scraped. Empty: all. */
  readonly includePaths: readonly string[]
  /** Regular expressions: pages that match one are not scraped. */
  readonly excludePaths: readonly string[]
  /** Whether the expressions are held against the whole address, in place of its path. */
  readonly regexOnFullURL: boolean
  readonly crawlEntireDomain: boolean
  readonly allowExternalLinks: boolean
  readonly allowSubdomains: boolean
  readonly ignoreQueryParameters: boolean
  readonly sitemap: 'include' | 'skip' | 'only'
  readonly ignoreRobotsTxt: boolean
  /** Seconds between two pages. */
  readonly delay?: number | undefined
  /** The options as they were sent, to be shown. */
  readonly options: Readonly<Record<string, unknown>>
}
