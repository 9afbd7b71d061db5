import type { Document } from 'bowline/contract/document'
import { isWithin, toCrawlPage } from './choose-links.ts'
import type { CrawlPlan } from './crawl-plan.ts'
import { linksOf } from './page-links.ts'

/** Says which options kept a crawl from following the links of its only page. Undefined: it has no links to other pages. */
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
  const leftOut = (options: Partial<CrawlPlan>): number =>
    links.filter((url) => !isWithin(url, from, plan) && isWithin(url, from, { ...plan, ...options })).length
  const reasons = [
    [leftOut({ crawlEntireDomain: true }), 'outside the path of the start URL', '`crawlEntireDomain: true`'],
    [leftOut({ allowExternalLinks: true }), 'to other sites', '`allowExternalLinks: true`'],
    [leftOut({ maxPathDepth: undefined }), 'with longer paths', 'a larger `maxPathDepth`'],
    [
      links.filter((url) => isWithin(url, from, plan)).length,
      'by paths or depth',
      '`includePaths`, `excludePaths` and `maxDiscoveryDepth`',
    ],
  ] as const
  const sentences = reasons
    .filter(([count]) => count > 0)
    .map(([count, where, option]) => `${count} ${count === 1 ? 'link' : 'links'} ${where} (see ${option})`)
  return sentences.length === 0
    ? undefined
    : `The crawl found only its start page. These links of it were not followed: ${sentences.join(', ')}.`
}
