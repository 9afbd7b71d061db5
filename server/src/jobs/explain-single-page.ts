import type { Document } from 'bowline/contract/document'
import { isInScope, toCrawlPage } from './choose-links.ts'
import type { CrawlPlan } from './crawl-plan.ts'
import { linksOf } from './page-links.ts'

/**
 * Describes which options kept a crawl from following the links of its only page. Returns
 * `undefined` if the page has no links to other pages.
 */
export function explainSinglePage(document: Document, plan: CrawlPlan): string | undefined {
  const pages = new Map(
    linksOf(document)
      .map((link) => toCrawlPage(link, plan))
      .filter((page) => page !== undefined)
      .map(({ identity, url }) => [identity, new URL(url)]),
  )
  const start = toCrawlPage(plan.url, plan)
  const links = [...pages].filter(([identity]) => identity !== start?.identity).map(([, url]) => url)
  const from = new URL(plan.url)
  const countExcluded = (options: Partial<CrawlPlan>): number =>
    links.filter((url) => !isInScope(url, from, plan) && isInScope(url, from, { ...plan, ...options })).length
  const reasons = [
    [countExcluded({ crawlEntireDomain: true }), 'outside the path of the start URL', '`crawlEntireDomain: true`'],
    [countExcluded({ allowExternalLinks: true }), 'to other sites', '`allowExternalLinks: true`'],
    [countExcluded({ maxPathDepth: undefined }), 'with longer paths', 'a larger `maxPathDepth`'],
    [
      links.filter((url) => isInScope(url, from, plan)).length,
      'by paths or depth',
      '`includePaths`, `excludePaths` and `maxDiscoveryDepth`',
    ],
  ] as const
  const exclusions = reasons
    .filter(([count]) => count > 0)
    .map(([count, where, option]) => `${count} ${count === 1 ? 'link' : 'links'} ${where} (see ${option})`)
  return exclusions.length === 0
    ? undefined
    : `The crawl found only its start page. These links were not followed: ${exclusions.join(', ')}.`
}
