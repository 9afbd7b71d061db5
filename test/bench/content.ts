// Scores main content on labelled pages: F1 by page type, and pages a second.
// Run: node test/bench/content.ts [FOLDER] [--folds N]. FOLDER: the data of the WCXB benchmark; default BOWLINE_CONTENT_BENCH.
// With --folds, each page is also scored by a model trained without it: the score to expect on other pages.
import { cleanPage } from '../../src/server/scrape/clean-page.ts'
import { parseHtml } from '../../src/server/scrape/dom.ts'
import { prepareTree } from '../../src/server/scrape/prepare.ts'
import { pruneTree } from '../../src/server/scrape/main-content/prune.ts'
import { selectMainContent } from '../../src/server/scrape/main-content/select.ts'
import { treeToMarkdown } from '../../src/server/scrape/markdown/to-markdown.ts'
import { logitOf } from './content/boost.ts'
import { readLabelledPages, type LabelledPage } from './content/pages.ts'
import { scoreWords, toText, type WordScore } from './content/scoring.ts'
import { toTrainingPage, train } from './content/train.ts'

const types = ['article', 'documentation', 'service', 'forum', 'collection', 'listing', 'product']

const report = (title: string, pages: readonly LabelledPage[], scores: readonly WordScore[]): void => {
  const mean = (chosen: readonly WordScore[], key: keyof WordScore): string =>
    (chosen.reduce((sum, score) => sum + score[key], 0) / Math.max(1, chosen.length)).toFixed(4)
  const line = (name: string, chosen: readonly WordScore[]): void =>
    console.log(
      `  ${name.padEnd(14)} n=${String(chosen.length).padStart(4)}  F1 ${mean(chosen, 'f1')}  P ${mean(chosen, 'precision')}  R ${mean(chosen, 'recall')}`,
    )
  console.log(title)
  line('all', scores)
  for (const type of types)
    line(
      type,
      scores.filter((_, index) => pages[index]?.type === type),
    )
}

const scoreHeldOut = (pages: readonly LabelledPage[], folds: number): readonly WordScore[] => {
  const ready = pages.map(toTrainingPage)
  // A fixed shuffle, so that every fold has all types.
  const foldOf = pages.map((_, index) => ((index * 7919) % pages.length) % folds)
  const scores: WordScore[] = []
  for (let fold = 0; fold < folds; fold++) {
    const model = train(ready.filter((_, index) => foldOf[index] !== fold))
    for (const [index, page] of pages.entries()) {
      if (foldOf[index] !== fold) continue
      const document = parseHtml(page.html)
      prepareTree(document, 'short')
      const content = selectMainContent(document, { score: (row) => 1 / (1 + Math.exp(-logitOf(model, row))) })
      pruneTree(document, content)
      scores[index] = scoreWords(content.isKept.includes(true) ? toText(treeToMarkdown(document, '')) : '', page.truth)
    }
  }
  return scores
}

const folder =
  process.argv.slice(2).find((argument, index, all) => !argument.startsWith('--') && all[index - 1] !== '--folds') ??
  process.env['BOWLINE_CONTENT_BENCH']
if (folder === undefined) {
  console.log('content: no labelled pages. Name their folder, or set BOWLINE_CONTENT_BENCH.')
} else {
  const pages = readLabelledPages(folder)
  const markdown = (page: LabelledPage): string => {
    const cleaned = cleanPage({ html: page.html, url: '' })
    return treeToMarkdown(cleaned.document, page.url)
  }
  pages.slice(0, 20).forEach(markdown)
  const cpuBefore = process.cpuUsage()
  const startedMs = performance.now()
  const outputs = pages.map(markdown)
  const seconds = (performance.now() - startedMs) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  report(
    'pages the model was trained on',
    pages,
    outputs.map((output, index) => scoreWords(toText(output), pages[index]!.truth)),
  )
  console.log(
    `HTML to cleaned Markdown: ${(pages.length / seconds).toFixed(0)} pages/s, ${(pages.length / (cpu.user / 1e6)).toFixed(0)} pages per CPU second`,
  )
  const at = process.argv.indexOf('--folds')
  if (at > 0)
    report('pages the model has not seen (cross-validated)', pages, scoreHeldOut(pages, Number(process.argv[at + 1])))
}
