import { monitorLimits } from '../../contract/monitors.ts'
import type { KnownTarget } from './definition.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import type { Searches } from '../search/searches.ts'
import { pageRequest } from './page-request.ts'

/** What knows prices. */
export interface EstimateParts {
  readonly scrapes: Pick<Scrapes, 'estimate'>
  readonly searches: Pick<Searches, 'price'>
}

/** What one check costs when every page is read, in credits. Throws what this server cannot do: FORMAT_UNAVAILABLE, PROXY_UNAVAILABLE, BAD_REQUEST. */
export const estimateCheck = (
  { scrapes, searches }: EstimateParts,
  targets: readonly KnownTarget[],
  { isJudged }: { readonly isJudged: boolean },
): number => {
  let credits = 0
  for (const target of targets) {
    switch (target.type) {
      case 'scrape':
        credits += new Set(target.urls).size * scrapes.estimate(pageRequest(target, target.urls[0] ?? '').request)
        break
      case 'crawl': {
        const pages = target.crawlOptions?.limit ?? monitorLimits.crawlPages.default
        credits += pages * scrapes.estimate(pageRequest(target, target.url).request)
        break
      }
      case 'search':
        credits += target.queries.length * (searches.price(target.maxResults) + (isJudged ? target.maxResults : 0))
        break
      default:
        return target satisfies never
    }
  }
  return credits
}
