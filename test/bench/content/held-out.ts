import { parseHtml } from '../../../src/server/scrape/dom.ts'
import { pruneTree } from '../../../src/server/scrape/main-content/prune.ts'
import { selectMainContent } from '../../../src/server/scrape/main-content/select.ts'
import { treeToMarkdown } from '../../../src/server/scrape/markdown/to-markdown.ts'
import { prepareTree } from '../../../src/server/scrape/prepare.ts'
import { logitOf, type Model } from './boost.ts'
import type { LabelledPage } from './pages.ts'
import { scoreWords, toText, type WordScore } from './scoring.ts'
import { toTrainingPage, train } from './train.ts'

/** Scores every page by a model trained on the other folds: the score to expect on pages from elsewhere. */
export const scoreHeldOut = (pages: readonly LabelledPage[], folds: number): readonly WordScore[] => {
  const ready = pages.map(toTrainingPage)
  // A fixed shuffle, so that every fold has pages of all types.
  const foldOf = pages.map((_, index) => ((index * 7919) % pages.length) % folds)
  const models = Array.from({ length: folds }, (_, fold) => train(ready.filter((_, index) => foldOf[index] !== fold)))
  return pages.map((page, index) => scoreWith(models[foldOf[index]!]!, page))
}

const scoreWith = (model: Model, page: LabelledPage): WordScore => {
  const document = parseHtml(page.html)
  prepareTree(document, 'short')
  const content = selectMainContent(document, { score: (row) => 1 / (1 + Math.exp(-logitOf(model, row))) })
  pruneTree(document, content)
  return scoreWords(content.isKept.includes(true) ? toText(treeToMarkdown(document, '')) : '', page.truth)
}
