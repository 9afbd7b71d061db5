import { parsePage } from '../../../server/src/scrape/parse/parsed-page.ts'
import { pruneTree } from '../../../server/src/scrape/clean/main-content/prune.ts'
import { selectMainContent } from '../../../server/src/scrape/clean/main-content/select.ts'
import { treeToMarkdown } from '../../../server/src/scrape/format/markdown/to-markdown.ts'
import { normalizeTree } from '../../../server/src/scrape/parse/normalize-tree.ts'
import { logitOf, type Model } from './boost.ts'
import type { LabelledPage } from './pages.ts'
import { scoreWords, toText, type WordScore } from './scoring.ts'
import { toTrainingPage, train } from './train.ts'

/** Cross-validation: scores every page by a model trained on the other folds. */
export function scoreHeldOut(pages: readonly LabelledPage[], folds: number): readonly WordScore[] {
  const ready = pages.map(toTrainingPage)
  const foldOf = foldsOf(pages, folds)
  const models = Array.from({ length: folds }, (_, fold) => train(ready.filter((_, index) => foldOf[index] !== fold)))
  return pages.map((page, index) => scoreWith(models[foldOf[index]!]!, page))
}

/** The fold of every page: pages of a site share one, and every fold has pages of all types. */
function foldsOf(pages: readonly LabelledPage[], folds: number): readonly number[] {
  const typeOf = new Map<string, string>()
  for (const page of pages) if (!typeOf.has(siteOf(page))) typeOf.set(siteOf(page), page.type)
  const sites = [...typeOf].sort(([, left], [, right]) => left.localeCompare(right)).map(([site]) => site)
  return pages.map((page) => sites.indexOf(siteOf(page)) % folds)
}

function siteOf(page: LabelledPage): string {
  const labels = URL.canParse(page.url) ? new URL(page.url).hostname.split('.') : [page.id]
  return labels.slice(/^(?:co|com)$/.test(labels.at(-2) ?? '') ? -3 : -2).join('.')
}

function scoreWith(model: Model, page: LabelledPage): WordScore {
  const parsed = parsePage(page.html, '')
  const { document } = parsed
  normalizeTree(document, 'short')
  const content = selectMainContent(document, {
    score: (rows) => rows.map((row) => 1 / (1 + Math.exp(-logitOf(model, row)))),
  })
  pruneTree(document, content)
  return scoreWords(content.isKept.includes(true) ? toText(treeToMarkdown(parsed)) : '', page.truth)
}
