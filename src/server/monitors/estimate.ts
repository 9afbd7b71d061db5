import { monitorLimits } from '../../contract/monitors.ts'
import { BowlineError } from '../../kit/errors.ts'
import type { KnownTarget } from './definition.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { pageRequest } from './page-request.ts'
import { filterPaths } from './path-filter.ts'

/** What one check costs when every page is read, in credits. Throws what this server cannot do: FORMAT_UNAVAILABLE, PROXY_UNAVAILABLE, MONITOR_TARGET_UNAVAILABLE, BAD_REQUEST. */
export const estimateCheck = (
  { scrapes }: { readonly scrapes: Pick<Scrapes, 'estimate'> },
  targets: readonly KnownTarget[],
): number => {
  let credits = 0
  for (const target of targets) {
    switch (target.type) {
      case 'scrape':
        credits += new Set(target.urls).size * scrapes.estimate(pageRequest(target, target.urls[0] ?? '').request)
        break
      case 'crawl': {
        // Refuses expressions that are none.
        filterPaths([target.url], target.crawlOptions ?? {})
        const pages = target.crawlOptions?.limit ?? monitorLimits.crawlPages.default
        credits += pages * scrapes.estimate(pageRequest(target, target.url).request)
        break
      }
      case 'search':
        throw new BowlineError(
          'MONITOR_TARGET_UNAVAILABLE',
          'Targets of the type search need a language model that judges what they find, and this server has none for them',
        )
      default:
        return target satisfies never
    }
  }
  return credits
}
