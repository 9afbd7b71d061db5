import { canonicalUrl, identityOf } from 'bowline/kit/canonical-url'
import { folderOf } from '../map/link-collection.ts'
import type { PatternMatcher } from '../map/match-patterns.ts'
import type { CrawlPlan } from './crawl-plan.ts'

/** A page that a crawl may scrape. */
export interface CrawlPage {
  readonly url: string
  readonly identity: string
}

/** The pages that were chosen, and how long their addresses were matched with the expressions of the crawl. */
export interface ChosenLinks {
  readonly pages: readonly CrawlPage[]
  readonly ms: number
}

const noPage = /\.(?:jpe?g|png|gif|webp|avif|svg|ico|css|m?js|gz|zip|tar|mp[34]|webm|woff2?|ttf|exe|dmg)$/i

/** The page under which an address is scraped; undefined: it is none. */
export function toCrawlPage(address: string, { ignoreQueryParameters }: CrawlPlan): CrawlPage | undefined {
  const url = canonicalUrl(address, { ignoreQueryParameters })
  return url === undefined || noPage.test(url.pathname) ? undefined : { url: url.href, identity: identityOf(url) }
}

/** Those of the addresses that belong to a crawl, each once. Throws BAD_REQUEST when to tell takes too long. */
export async function chooseLinks(
  addresses: readonly string[],
  plan: CrawlPlan,
  { matcher, teamId }: { readonly matcher: Pick<PatternMatcher, 'match'>; readonly teamId: string },
): Promise<ChosenLinks> {
  const start = new URL(plan.url)
  const pages = new Map<string, CrawlPage>()
  for (const address of addresses) {
    const page = toCrawlPage(address, plan)
    if (page !== undefined && isWithin(new URL(page.url), start, plan)) pages.set(page.identity, page)
  }
  const found = [...pages.values()]
  const { includePaths: include, excludePaths: exclude, regexOnFullURL } = plan
  const texts = found.map(({ url }) => (regexOnFullURL ? url : new URL(url).pathname))
  const { matches, ms } = await matcher.match(texts, { include, exclude, teamId })
  return { pages: found.filter((_, index) => matches[index] === true), ms }
}

/** Whether the host and the path of an address belong to a crawl. */
export function isWithin(url: URL, start: URL, plan: CrawlPlan): boolean {
  if (hostOf(url) !== hostOf(start)) {
    return plan.allowExternalLinks || (plan.allowSubdomains && hostOf(url).endsWith(`.${hostOf(start)}`))
  }
  const folder = folderOf(start) ?? ''
  const isUnder = url.pathname === folder || url.pathname.startsWith(`${folder}/`)
  if (!isUnder && !plan.crawlEntireDomain) return false
  return plan.maxPathDepth === undefined || partsOf(url.pathname) - partsOf(folder) <= plan.maxPathDepth
}

function hostOf({ host }: URL): string {
  return host.replace(/^www\./, '')
}

function partsOf(path: string): number {
  return path.split('/').filter((part) => part !== '').length
}
