import type { Document } from 'bowline/contract/document'
import { isInScope, toCrawlPage } from './choose-links.ts'
import type { CrawlPlan } from './crawl-plan.ts'
import { linksOf } from './page-links.ts'

/**
 * Describes why a crawl found only its start page: which options kept it from following the links
 * of the page, or that the page has none, possibly because it is an error.
 */
export function explainSinglePage(document: Document, plan: CrawlPlan): string {
  const pages = new Map(
    linksOf(document)
      .urls.map((link) => toCrawlPage(link, plan))
      .filter((page) => page !== undefined)
      .map(({ identity, url }) => [identity, new URL(url)]),
  )
  const start = toCrawlPage(plan.url, plan)
  const links = [...pages].filter(([identity]) => identity !== start?.identity).map(([, url]) => url)
  const { statusCode } = document.metadata
  if (links.length === 0 && statusCode !== undefined && statusCode >= 400)
    return `The crawl found only its start page, which responded with status ${statusCode} and has no links to other pages.`
  if (links.length === 0) {
    return (
      'The crawl found only its start page, which has no links to other pages. ' +
      'If scripts add its links, set `scrapeOptions.waitFor`.'
    )
  }
  const from = new URL(plan.url)
  const countExcluded = (options: Partial<CrawlPlan>): number =>
    links.filter((url) => !isInScope(url, from, plan) && isInScope(url, from, { ...plan, ...options })).length
  const reasons = [
    [countExcluded({ crawlEntireDomain: true }), 'outside the path of the start URL', '`crawlEntireDomain: true`'],
    [countExcluded({ allowExternalLinks: true }), 'to other sites', '`allowExternalLinks: true`'],
    [countExcluded({ maxPathDepth: undefined }), 'with longer paths', 'a larger `maxDepth`'],
    [
      links.filter((url) => isInScope(url, from, plan)).length,
      'by paths or depth',
      '`includePaths`, `excludePaths` and `maxDiscoveryDepth`',
    ],
  ] as const
  const exclusions = reasons
    .filter(([count]) => count > 0)
    .map(([count, where, option]) => `${count} ${count === 1 ? 'link' : 'links'} ${where} (see ${option})`)
  const found = exclusions.length > 0 ? exclusions.join(', ') : `${links.length} that several options exclude`
  return `The crawl found only its start page. These links were not followed: ${found}.`
}
