import { cleanPage } from '../../server/src/scrape/clean/clean-page.ts'
import { treeToMarkdown } from '../../server/src/scrape/format/markdown/to-markdown.ts'
import { parsePage } from '../../server/src/scrape/parse/parsed-page.ts'
import { scoreHeldOut } from './content/held-out.ts'
import { readLabelledPages, type LabelledPage } from './content/pages.ts'
import { scoreWords, toText, type WordScore } from './content/scoring.ts'
import { atLeast, type BenchGroup, type Figure } from './group.ts'

const types = ['article', 'documentation', 'service', 'forum', 'collection', 'listing', 'product']
const leastByType: Readonly<Record<string, number>> = { all: 0.9, article: 0.95 }

function figuresOf(title: string, pages: readonly LabelledPage[], scores: readonly WordScore[]): readonly Figure[] {
  return ['all', ...types].map((type) => {
    const chosen = scores.filter((_, index) => type === 'all' || pages[index]?.type === type)
    const f1 = chosen.reduce((sum, score) => sum + score.f1, 0) / Math.max(1, chosen.length)
    return { name: `F1 ${title}, ${type}`, unit: '', ours: f1, aim: atLeast(leastByType[type] ?? 0.75) }
  })
}

function read(page: LabelledPage): string {
  const parsed = parsePage(page.html, '')
  cleanPage(parsed)
  return treeToMarkdown(parsed)
}

function measureSpeed(pages: readonly LabelledPage[]): Figure {
  pages.slice(0, 20).forEach(read)
  const before = process.cpuUsage()
  pages.forEach(read)
  const seconds = process.cpuUsage(before).user / 1e6
  return {
    name: 'HTML to main content as Markdown',
    unit: 'pages/s of one core',
    ours: pages.length / seconds,
    aim: atLeast(50),
  }
}

/**
 * Main content on the labelled pages of the WCXB benchmark in `BOWLINE_CONTENT_BENCH`. Skipped if
 * unset.
 */
export const group: BenchGroup = {
  name: 'content',
  about: 'main content of the labelled pages in BOWLINE_CONTENT_BENCH, compared with the labels as bags of words',
  run: (options) => Promise.resolve(measure(process.env['BOWLINE_CONTENT_BENCH'], options.isQuick)),
}

function measure(folder: string | undefined, isQuick: boolean): readonly Figure[] {
  if (folder === undefined) return []
  const pages = readLabelledPages(folder)
  const scores = pages.map((page) => scoreWords(toText(read(page)), page.truth))
  return [
    ...figuresOf('of the shipped model, which was trained on all of these pages', pages, scores),
    ...(isQuick ? [] : figuresOf('held out by site, 5 folds', pages, scoreHeldOut(pages, 5))),
    measureSpeed(pages),
  ]
}
