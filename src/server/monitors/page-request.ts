import type { Format } from '../../contract/formats.ts'
import { withMarkdown, type CrawlTarget, type ScrapeTarget } from '../../contract/monitors.ts'
import { scrapeRequest, type ScrapeRequest } from '../../contract/scrape.ts'
import { BowlineError } from '../../kit/errors.ts'

/** How a page of a monitor is scraped and compared. */
export interface PageRequest {
  readonly request: ScrapeRequest
  /** Whether data are extracted and compared. */
  readonly comparesJson: boolean
  /** Whether Markdown is compared: always, unless data are and nobody asked for both. */
  readonly comparesText: boolean
}

/** What is asked of a page of a target. Throws BAD_REQUEST when its options do not fit; they are checked when a monitor is made. */
export const pageRequest = (
  { scrapeOptions = {} }: Pick<ScrapeTarget | CrawlTarget, 'scrapeOptions'>,
  url: string,
): PageRequest => {
  const { formats = [], ...options } = scrapeOptions
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
  const wanted = parsed.formats.filter((format) => format.type !== 'changeTracking')
  const hasJson = wanted.some((format) => format.type === 'json')
  const tracked = tracking?.modes.includes('json') === true && !hasJson ? [asJson(tracking)] : []
  const comparesJson = hasJson || tracked.length > 0
  return {
    request: { ...parsed, formats: [...wanted, ...tracked] },
    comparesJson,
    comparesText: !comparesJson || tracking?.modes.includes('git-diff') === true,
  }
}

/** Change tracking compares with the last scrape of anybody in the team; a monitor compares with its own last check. */
const asJson = ({ schema, prompt }: Extract<Format, { type: 'changeTracking' }>): Format => ({
  type: 'json',
  schema,
  prompt,
})
