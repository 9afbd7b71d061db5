/**
 * A page that was scraped without a profile, headers or actions of the caller, and may be indexed
 * for search.
 */
export interface ScrapedPage {
  readonly teamId: string
  /** Final URL. */
  readonly url: string
  readonly markdown: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** Whether the Markdown is only a part of the page that the caller selected. Default: false. */
  readonly isPartial?: boolean
}

/** Called with every page that was scraped and stored. Must not throw or block. */
export type IndexPage = (page: ScrapedPage) => void
