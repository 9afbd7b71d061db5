import { canonicalUrl, pageKeyOf } from 'bowline/kit/canonical-url'
import { isAsset } from '../map/is-asset.ts'
import { pathPrefixOf } from '../map/link-collection.ts'
import type { PatternMatcher } from '../map/pattern-matcher.ts'
import type { CrawlPlan } from './crawl-plan.ts'

/** A page that a crawl may scrape. `identity` is equal for URLs of the same page. */
export interface CrawlPage {
  readonly url: string
  readonly identity: string
}

/**
 * Pages within the scope of a crawl, and the milliseconds spent on matching its regular
 * expressions.
 */
export interface ChosenLinks {
  readonly pages: readonly CrawlPage[]
  readonly ms: number
}

/** Returns the page of a URL, or `undefined` if the URL is invalid or that of an asset. */
export function toCrawlPage(rawUrl: string, { ignoreQueryParameters }: CrawlPlan): CrawlPage | undefined {
  const url = canonicalUrl(rawUrl, { ignoreQueryParameters })
  return url === undefined || isAsset(url) ? undefined : { url: url.href, identity: pageKeyOf(url) }
}

/**
 * Returns the pages of the URLs that belong to a crawl, without duplicates. Throws BAD_REQUEST if
 * matching takes too long.
 */
export async function chooseLinks(
  urls: readonly string[],
  plan: CrawlPlan,
  { matcher, teamId }: { readonly matcher: Pick<PatternMatcher, 'match'>; readonly teamId: string },
): Promise<ChosenLinks> {
  const start = new URL(plan.url)
  const pages = new Map<string, CrawlPage>()
  for (const url of urls) {
    const page = toCrawlPage(url, plan)
    if (page === undefined || pages.has(page.identity) || !isInScope(new URL(page.url), start, plan)) continue
    pages.set(page.identity, page)
  }
  const inScope = [...pages.values()]
  const { includePaths: include, excludePaths: exclude, regexOnFullURL } = plan
  const texts = inScope.map(({ url }) => (regexOnFullURL ? url : new URL(url).pathname))
  const { matches, ms } = await matcher.match(texts, { include, exclude, teamId })
  return { pages: inScope.filter((_, index) => matches[index] === true), ms }
}

/** Returns whether the host and path of a URL are within the scope of a crawl. */
export function isInScope(url: URL, start: URL, plan: CrawlPlan): boolean {
  if (hostOf(url) !== hostOf(start)) {
    return plan.allowExternalLinks || (plan.allowSubdomains && hostOf(url).endsWith(`.${hostOf(start)}`))
  }
  const folder = pathPrefixOf(start) ?? ''
  const isUnder = url.pathname === folder || url.pathname.startsWith(`${folder}/`)
  if (!isUnder && !plan.crawlEntireDomain) return false
  return plan.maxPathDepth === undefined || pathDepth(url.pathname) - pathDepth(folder) <= plan.maxPathDepth
}

function hostOf({ host }: URL): string {
  return host.replace(/^www\./, '')
}

function pathDepth(path: string): number {
  return path.split('/').filter((part) => part !== '').length
}
