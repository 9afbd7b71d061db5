/** What others may learn of a page that was scraped for anybody: without a profile, headers or actions of the caller. */
export interface ScrapedPage {
  readonly teamId: string
  /** Final address. */
  readonly url: string
  readonly markdown: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Hears of pages that were scraped and stored. Must not throw, nor take long. */
export type OnScraped = (page: ScrapedPage) => void
