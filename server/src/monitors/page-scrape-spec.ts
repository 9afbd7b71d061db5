import type { Format } from 'bowline/contract/formats'
import { withMarkdown, type CrawlTarget, type ScrapeTarget } from 'bowline/contract/monitors'
import { scrapeRequest, type ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import { crossOriginHeaders } from '../kit/forward-headers.ts'
import { headerScope } from '../map/site.ts'

type Target = Omit<ScrapeTarget, 'id' | 'urls'> | Omit<CrawlTarget, 'id'>

/** Scrape request of a page of a monitor, and which of its results are compared. */
export interface PageScrapeSpec {
  readonly request: ScrapeRequest
  /** Whether extracted data is compared. */
  readonly comparesJson: boolean
  /** Whether Markdown is compared: always, except if only extracted data was requested. */
  readonly comparesText: boolean
}

/**
 * Returns the scrape request of a page of a target. Custom headers are only sent to the site of a
 * crawl, which may redirect elsewhere. Throws BAD_REQUEST for invalid options, which are checked
 * when a monitor is created.
 */
export function pageScrapeSpec(target: Target, url: string): PageScrapeSpec {
  const { formats = [], ...options } = target.scrapeOptions ?? {}
  const result = scrapeRequest.safeParse({
    // Monitors compare live pages, not cached ones.
    maxAge: 0,
    ...options,
    url,
    formats: withMarkdown(Array.isArray(formats) ? formats : []),
  })
  if (!result.success)
    throw new BowlineError('BAD_REQUEST', `Invalid scrape options for ${url}: ${result.error.message}`)
  const { data: parsed } = result
  const tracking = parsed.formats.find((format) => format.type === 'changeTracking')
  const headers = isInHeaderScope(target, url) ? parsed.headers : crossOriginHeaders(parsed.headers)
  const otherFormats = parsed.formats.filter((format) => format.type !== 'changeTracking')
  const hasJson = otherFormats.some((format) => format.type === 'json')
  const tracked = tracking?.modes.includes('json') === true && !hasJson ? [asJson(tracking)] : []
  const comparesJson = hasJson || tracked.length > 0
  return {
    request: { ...parsed, headers, formats: [...otherFormats, ...tracked] },
    comparesJson,
    comparesText: !comparesJson || tracking?.modes.includes('git-diff') === true,
  }
}

function isInHeaderScope(target: Target, url: string): boolean {
  if (target.type === 'scrape') return true
  const includeSubdomains = target.crawlOptions?.allowSubdomains ?? false
  return headerScope(new URL(target.url), { includeSubdomains })(new URL(url))
}

/**
 * Replaces the `changeTracking` format by `json`. Change tracking compares with the last scrape of
 * the team, a monitor with its own last check.
 */
function asJson({ schema, prompt }: Extract<Format, { type: 'changeTracking' }>): Format {
  return {
    type: 'json',
    schema,
    prompt,
  }
}
