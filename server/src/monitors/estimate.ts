import { monitorLimits } from 'bowline/contract/monitors'
import type { MonitorRow } from './queries/monitors.ts'
import type { StoredTarget } from './definition.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import type { Searches } from '../search/searches.ts'
import { distinctQueries } from './distinct-queries.ts'
import { pageScrapeSpec } from './page-scrape-spec.ts'

/** Sources of prices. */
export interface EstimateDeps {
  readonly scrapes: Pick<Scrapes, 'estimate'>
  readonly searches: Pick<Searches, 'price'>
}

/**
 * Returns the maximum price of one check in credits. Throws FORMAT_UNAVAILABLE or BAD_REQUEST for
 * targets that this server cannot check.
 */
export function estimateTargets(
  { scrapes, searches }: EstimateDeps,
  targets: readonly StoredTarget[],
  { isJudged }: { readonly isJudged: boolean },
): number {
  let credits = 0
  for (const target of targets) {
    switch (target.type) {
      case 'scrape':
        credits += new Set(target.urls).size * scrapes.estimate(pageScrapeSpec(target, target.urls[0] ?? '').request)
        break
      case 'crawl': {
        const pages = target.crawlOptions?.limit ?? monitorLimits.crawlPages.default
        credits += pages * scrapes.estimate(pageScrapeSpec(target, target.url).request)
        break
      }
      case 'search':
        credits +=
          distinctQueries(target.queries).length *
          (searches.price(target.maxResults) + (isJudged ? target.maxResults : 0))
        break
      default:
        return target satisfies never
    }
  }
  return credits
}

/**
 * Returns the maximum price of one check of a monitor in credits. Targets that the server can no
 * longer check, because its settings have changed, cost nothing.
 */
export function estimateMonitor(
  deps: EstimateDeps & { readonly onError: (error: unknown, action: string) => void },
  monitor: MonitorRow,
): number {
  let credits = 0
  for (const target of monitor.targets) {
    try {
      credits += estimateTargets(deps, [target], { isJudged: monitor.judgeEnabled })
    } catch (error) {
      deps.onError(error, `estimating a check of the monitor ${monitor.id}`)
    }
  }
  return credits
}
