// Trains the model of main content on labelled pages and writes
// server/src/scrape/clean/main-content/main-content-model.json. Run: node
// test/bench/content/train.ts FOLDER. `npm run bench -- content` scores it.
import { writeFileSync } from 'node:fs'
import { parseHtml } from '../../../server/src/scrape/parse/parse-html.ts'
import { normalizeTree } from '../../../server/src/scrape/parse/normalize-tree.ts'
import { featureNames, featureRows } from '../../../server/src/scrape/clean/main-content/features.ts'
import { buildLayout } from '../../../server/src/scrape/clean/main-content/layout.ts'
import { segment } from '../../../server/src/scrape/clean/main-content/segment.ts'
import { boost, type BoostOptions, type Model } from './boost.ts'
import type { Tree } from './grow-tree.ts'
import { createRandom } from './random.ts'
import { labelTexts, tokenize } from './labels.ts'
import { readLabelledPages, type LabelledPage } from './pages.ts'
import { scoreWords } from './scoring.ts'

/** A page ready for training. */
export interface TrainingPage {
  readonly page: LabelledPage
  readonly rows: readonly Float32Array[]
  readonly labels: readonly number[]
  readonly texts: readonly string[]
  readonly sizes: readonly number[]
}

/** Training options of the model in the repository, chosen by cross-validation. */
export const trainingOptions: BoostOptions = {
  rounds: 300,
  depth: 6,
  rate: 0.05,
  lambda: 5,
  minWeight: 2,
  featureShare: 0.2,
  rowShare: 0.4,
  seed: 7,
}

/** Lays out a labelled page and labels its texts. */
export function toTrainingPage(page: LabelledPage): TrainingPage {
  const document = parseHtml(page.html)
  normalizeTree(document, 'short')
  const leaves = segment(document)
  const texts = leaves.map((leaf) => leaf.text)
  return {
    page,
    rows: featureRows(buildLayout(document, leaves)),
    labels: labelTexts(texts, page.truth),
    texts,
    sizes: texts.map((text) => tokenize(text).length),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/**
 * Weights texts by the effect of their words on the F1 of the page: less on long pages and with
 * much boilerplate. Words of long texts weigh less.
 */
function weigh(page: TrainingPage): readonly number[] {
  const content = tokenize(page.page.truth).length
  const all = sum(page.sizes)
  const whole = (100 * all) / (0.7 * content + 0.3 * Math.min(all, 4 * content) + 50)
  const soft = page.sizes.map((size) => size ** 0.6)
  const scale = whole / Math.max(1, sum(soft))
  return soft.map((size) => size * scale)
}

const fewestWords = 25
const leastFit = 0.75

/**
 * Whether the texts of the page cover its label. Pages whose content is not in the HTML are noise.
 */
function fits(page: TrainingPage): boolean {
  const labelled = page.texts.filter((_, index) => (page.labels[index] ?? 0) > 0.5).join('\n')
  return tokenize(page.page.truth).length >= fewestWords && scoreWords(labelled, page.page.truth).f1 >= leastFit
}

const noMark = 12
const namelessShare = 1 / 3

const markFeatures = featureNames.flatMap((name, index) => (name.startsWith('mark:') ? [index] : []))

/** The row without the features of class names and ids. */
function withoutMarks(row: Float32Array): Float32Array {
  const copy = row.slice()
  for (const feature of markFeatures) copy[feature] = noMark
  return copy
}

/** Trains a model on pages, on a third of the texts without their class names and ids. */
export function train(pages: readonly TrainingPage[], options: BoostOptions = trainingOptions): Model {
  const random = createRandom(options.seed)
  const drawn = drawTexts(pages.filter(fits), random)
  const rows = drawn.map(({ row }) => (random() < namelessShare ? withoutMarks(row) : row))
  const labels = Float32Array.from(drawn, ({ label }) => label)
  const weights = Float32Array.from(drawn, ({ weight }) => weight)
  return boost(rows, labels, weights, options)
}

interface DrawnText {
  readonly row: Float32Array
  readonly label: number
  readonly weight: number
}

// More texts take longer and gain nothing.
const leastWeight = 1

/**
 * Draws texts by their weights: all above `leastWeight`, and a share of the others with that
 * weight.
 */
function drawTexts(pages: readonly TrainingPage[], random: () => number): readonly DrawnText[] {
  return pages.flatMap((page) => {
    const weights = weigh(page)
    return page.rows.flatMap((row, index) => {
      const weight = weights[index]!
      const isDrawn = weight >= leastWeight || random() * leastWeight < weight
      return isDrawn ? [{ row, label: page.labels[index]!, weight: Math.max(weight, leastWeight) }] : []
    })
  })
}

function writeTree(tree: Tree, node = 0): string {
  const feature = tree.feature[node]!
  if (feature < 0) return `=${Number(tree.value[node]!.toFixed(3))}`
  return `${feature}<${Number(tree.threshold[node]!.toPrecision(4))} ${writeTree(tree, tree.left[node])} ${writeTree(tree, tree.right[node])}`
}

/** The text of main-content-model.json. */
export function writeModel({ base, trees }: Model, pageCount: number): string {
  const model = {
    source: `Learned from all ${pageCount} pages of the development split of WCXB, the Web Content eXtraction Benchmark (Murrough Foley, 2026, CC-BY-4.0).`,
    command: 'node test/bench/content/train.ts FOLDER',
    base: Number(base.toFixed(4)),
    trees: trees.map((tree) => writeTree(tree)),
  }
  return `${JSON.stringify(model, undefined, 2)}\n`
}

if (import.meta.main) {
  const pages = readLabelledPages(process.argv[2] ?? '').map(toTrainingPage)
  writeFileSync(
    new URL('../../../server/src/scrape/clean/main-content/main-content-model.json', import.meta.url),
    writeModel(train(pages), pages.length),
  )
}
