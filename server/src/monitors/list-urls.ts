import { setImmediate } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { mapRequest, type MapRequest } from 'bowline/contract/map'
import { monitorLimits, type CrawlTarget, type ScrapeTarget } from 'bowline/contract/monitors'
import type { Abortable } from 'bowline/kit/abort'
import { pageKeyOf } from 'bowline/kit/canonical-url'
import { mapSite } from '../map/map-site.ts'
import type { ShowPage } from '../map/show-start.ts'
import { RobotsRules } from '../map/robots-rules.ts'
import type { CheckMatching } from './check-matching.ts'
import { listKnownUrls } from '../store/monitor-pages.ts'
import type { Store } from '../store/store.ts'

/** What the pages of a target are found with. Aborting ends the search. */
export interface ListUrlsDeps extends Abortable {
  readonly store: Store
  readonly dispatcher: Dispatcher
  readonly showPage: ShowPage
  readonly monitorId: string
  readonly targetId: string
  readonly matching: CheckMatching
}

/**
 * The pages of a target. Of a crawl: those known from the last check first, so that one that is gone is noticed, then new
 * ones, up to its limit. Throws as `mapSite` does when nothing of the site can be read.
 */
export async function listUrls(target: ScrapeTarget | CrawlTarget, deps: ListUrlsDeps): Promise<readonly string[]> {
  return target.type === 'scrape' ? [...new Set(target.urls)] : listCrawled(target, deps)
}

async function listCrawled(
  { url, crawlOptions = {} }: CrawlTarget,
  { store, dispatcher, showPage, signal, matching, ...ids }: ListUrlsDeps,
): Promise<readonly string[]> {
  const { sitemap, ignoreQueryParameters, ignoreRobotsTxt = false } = crawlOptions
  const limit = crawlOptions.limit ?? monitorLimits.crawlPages.default
  const known = await listKnownUrls(store.db, ids)
  const request = mapRequest.parse({
    url,
    sitemap,
    ignoreQueryParameters: ignoreQueryParameters ?? false,
    includeSubdomains: crawlOptions.allowSubdomains ?? false,
    filterByPath: crawlOptions.crawlEntireDomain !== true,
  })
  const kept = await keepPaths(known, crawlOptions, matching)
  const found = await findPages(request, { dispatcher, showPage, signal }, kept.length > 0)
  const robots = new RobotsRules(dispatcher)
  const urls = new Map<string, string>()
  for (const each of [...kept, ...(await keepPaths(found, crawlOptions, matching))]) {
    if (urls.size >= limit) break
    // Thousands of rules for thousands of addresses must not keep other callers waiting.
    await setImmediate()
    signal?.throwIfAborted()
    const identity = pageKeyOf(new URL(each))
    if (!urls.has(identity) && (ignoreRobotsTxt || (await robots.allows(each)))) urls.set(identity, each)
  }
  return [...urls.values()]
}

async function keepPaths(
  urls: readonly string[],
  { includePaths, excludePaths, regexOnFullURL = false }: NonNullable<CrawlTarget['crawlOptions']>,
  matching: CheckMatching,
): Promise<readonly string[]> {
  const texts = urls.map((url) => (regexOnFullURL ? url : new URL(url).pathname))
  const matches = await matching.match(texts, { include: includePaths ?? [], exclude: excludePaths ?? [] })
  return urls.filter((_, index) => matches[index] === true)
}

async function findPages(
  request: MapRequest,
  { dispatcher, ...means }: Pick<ListUrlsDeps, 'dispatcher' | 'showPage' | 'signal'>,
  hasOthers: boolean,
): Promise<readonly string[]> {
  try {
    const { links } = await mapSite(dispatcher, request, { ...means, fallsBackToSite: false })
    return [...links.map((link) => link.url), request.url]
  } catch (error) {
    means.signal?.throwIfAborted()
    // The pages that are known tell what is wrong, each for itself.
    if (!hasOthers) throw error
    return []
  }
}
