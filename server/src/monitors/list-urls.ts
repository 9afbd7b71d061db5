import { setImmediate } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { mapRequest, type MapRequest } from 'bowline/contract/map'
import { monitorLimits, type CrawlTarget, type ScrapeTarget } from 'bowline/contract/monitors'
import type { Abortable } from 'bowline/kit/abort'
import { pageKeyOf } from 'bowline/kit/canonical-url'
import { isAsset } from '../map/is-asset.ts'
import { isInScope, scopeOf, type MapScope } from '../map/link-collection.ts'
import { mapSite } from '../map/map-site.ts'
import type { RenderPage } from '../map/render-start-page.ts'
import { RobotsRules, type RobotsDecision } from '../map/robots-rules.ts'
import type { CheckPatternMatcher } from './check-pattern-matcher.ts'
import { listKnownUrls } from './queries/pages.ts'
import type { Store } from '../store/store.ts'

/** Dependencies of `listUrls`. Aborting stops it. */
export interface ListUrlsDeps extends Abortable {
  readonly store: Store
  readonly dispatcher: Dispatcher
  readonly renderPage: RenderPage
  readonly monitorId: string
  readonly targetId: string
  readonly matcher: CheckPatternMatcher
}

/** URLs of a target. */
export interface ListedUrls {
  readonly urls: readonly string[]
  /** Sentences about omitted data. */
  readonly warnings: readonly string[]
}

/**
 * Returns the URLs of a target. For a crawl, known pages within its scope come first, so that
 * removed ones are noticed, followed by new ones up to the limit. Throws like `mapSite` if nothing
 * of the site can be read.
 */
export async function listUrls(target: ScrapeTarget | CrawlTarget, deps: ListUrlsDeps): Promise<ListedUrls> {
  return target.type === 'scrape' ? { urls: [...new Set(target.urls)], warnings: [] } : listCrawled(target, deps)
}

/** Decision where robots.txt is ignored. */
const everyPage: RobotsDecision = { isAllowed: true, warnings: [] }

async function listCrawled(
  { url, crawlOptions = {} }: CrawlTarget,
  { store, dispatcher, renderPage, signal, matcher, ...ids }: ListUrlsDeps,
): Promise<ListedUrls> {
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
  const found = await findPages(request, known, {
    dispatcher,
    renderPage,
    signal,
    ignoresRobots: ignoreRobotsTxt,
  })
  const candidates = [...known.filter((each) => isInScope(new URL(each), found.scope)), ...found.urls]
  const pages = candidates.filter((each) => each === request.url || !isAsset(new URL(each)))
  const robots = new RobotsRules(dispatcher)
  const urls = new Map<string, string>()
  const warnings = new Set(found.omissions)
  for (const each of await filterPaths(pages, crawlOptions, matcher)) {
    if (urls.size >= limit) break
    // Thousands of rules for thousands of URLs must not block other requests.
    await setImmediate()
    signal?.throwIfAborted()
    const identity = pageKeyOf(new URL(each))
    if (urls.has(identity)) continue
    const { isAllowed, warnings: ignored } = ignoreRobotsTxt ? everyPage : await robots.check(each)
    for (const warning of ignored) warnings.add(warning)
    if (isAllowed) urls.set(identity, each)
  }
  return { urls: [...urls.values()], warnings: [...warnings] }
}

async function filterPaths(
  urls: readonly string[],
  { includePaths, excludePaths, regexOnFullURL = false }: NonNullable<CrawlTarget['crawlOptions']>,
  matcher: CheckPatternMatcher,
): Promise<readonly string[]> {
  const texts = urls.map((url) => (regexOnFullURL ? url : new URL(url).pathname))
  const matches = await matcher.match(texts, { include: includePaths ?? [], exclude: excludePaths ?? [] })
  return urls.filter((_, index) => matches[index] === true)
}

interface FoundPages {
  readonly urls: readonly string[]
  readonly omissions: readonly string[]
  readonly scope: MapScope
}

async function findPages(
  request: MapRequest,
  known: readonly string[],
  {
    dispatcher,
    ...options
  }: Pick<ListUrlsDeps, 'dispatcher' | 'renderPage' | 'signal'> & { readonly ignoresRobots: boolean },
): Promise<FoundPages> {
  try {
    const { links, omissions, scope } = await mapSite(dispatcher, request, {
      ...options,
      fallsBackToSite: false,
      skipsAssets: true,
    })
    return { urls: [...links.map((link) => link.url), request.url], omissions, scope }
  } catch (error) {
    options.signal?.throwIfAborted()
    const scope = scopeOf(request)
    // Each known page reports its own error.
    if (!known.some((url) => isInScope(new URL(url), scope))) throw error
    return { urls: [], omissions: [], scope }
  }
}
