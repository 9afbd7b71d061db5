import type { Format } from 'bowline/contract/formats'
import { withMarkdown, type CrawlTarget, type ScrapeTarget } from 'bowline/contract/monitors'
import { scrapeRequest, type ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import { crossOriginHeaders } from '../kit/forward-headers.ts'
import { headerScope } from '../map/site.ts'

type Target = Omit<ScrapeTarget, 'id' | 'urls'> | Omit<CrawlTarget, 'id'>

/** How a page of a monitor is scraped and compared. */
export interface PageRequest {
  readonly request: ScrapeRequest
  /** Whether data are extracted and compared. */
  readonly comparesJson: boolean
  /** Whether Markdown is compared: always, unless data are and nobody asked for both. */
  readonly comparesText: boolean
}

/**
 * What is asked of a page of a target. Headers stay with the site of a crawl, which may redirect elsewhere.
 * Throws BAD_REQUEST when its options do not fit; they are checked when a monitor is made.
 */
export function pageRequest(target: Target, url: string): PageRequest {
  const { formats = [], ...options } = target.scrapeOptions ?? {}
  const result = scrapeRequest.safeParse({
    // What is watched is the page of now, not a stored one.
    maxAge: 0,
    ...options,
    url,
    formats: withMarkdown(Array.isArray(formats) ? formats : []),
  })
  if (!result.success) throw new BowlineError('BAD_REQUEST', `${url} cannot be scraped so: ${result.error.message}`)
  const { data: parsed } = result
  const tracking = parsed.formats.find((format) => format.type === 'changeTracking')
  const headers = takesHeaders(target, url) ? parsed.headers : crossOriginHeaders(parsed.headers)
  const wanted = parsed.formats.filter((format) => format.type !== 'changeTracking')
  const hasJson = wanted.some((format) => format.type === 'json')
  const tracked = tracking?.modes.includes('json') === true && !hasJson ? [asJson(tracking)] : []
  const comparesJson = hasJson || tracked.length > 0
  return {
    request: { ...parsed, headers, formats: [...wanted, ...tracked] },
    comparesJson,
    comparesText: !comparesJson || tracking?.modes.includes('git-diff') === true,
  }
}

function takesHeaders(target: Target, url: string): boolean {
  if (target.type === 'scrape') return true
  const includeSubdomains = target.crawlOptions?.allowSubdomains ?? false
  return headerScope(new URL(target.url), { includeSubdomains })(new URL(url))
}

/** Change tracking compares with the last scrape of anybody in the team; a monitor compares with its own last check. */
function asJson({ schema, prompt }: Extract<Format, { type: 'changeTracking' }>): Format {
  return {
    type: 'json',
    schema,
    prompt,
  }
}
