// Trains the model of main content on labelled pages and writes server/src/scrape/extract/main-content/model.ts.
// Run: node test/bench/content/train.ts FOLDER [folds]. With folds, it reports what models score on pages they have not seen.
import { writeFileSync } from 'node:fs'
import { parseHtml } from '../../../server/src/scrape/parse/parse-html.ts'
import { normalizeTree } from '../../../server/src/scrape/parse/normalize-tree.ts'
import { featureNames, featureRows } from '../../../server/src/scrape/extract/main-content/features.ts'
import { buildLayout } from '../../../server/src/scrape/extract/main-content/layout.ts'
import { segment } from '../../../server/src/scrape/extract/main-content/segment.ts'
import { boost, type BoostOptions, type Model, type Tree } from './boost.ts'
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

/** How the model in the repository is trained. Chosen by cross-validation, not by the score on the training pages. */
export const trainingOptions: BoostOptions = {
  rounds: 400,
  depth: 6,
  rate: 0.03,
  lambda: 2,
  minWeight: 0.3,
  featureShare: 0.2,
  rowShare: 0.3,
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

/** A page weighs about what its words do to its F1: less on a long page, and where boilerplate abounds. In it, a word of a long text weighs less. */
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

/** Whether texts of the page make up what its label holds: pages of which little is left in the HTML teach accidents. */
function fits(page: TrainingPage): boolean {
  const labelled = page.texts.filter((_, index) => (page.labels[index] ?? 0) > 0.5).join('\n')
  return tokenize(page.page.truth).length >= fewestWords && scoreWords(labelled, page.page.truth).f1 >= leastFit
}

const noMark = 12

/** The row on a page whose classes and ids say nothing. */
function withoutMarks(row: Float32Array): Float32Array {
  return row.map((value, index) => (featureNames[index]?.startsWith('mark:') === true ? noMark : value))
}

/** Trains a model on pages, and at half the weight on the same without marks: so that it knows more than names. */
export function train(all: readonly TrainingPage[], options: BoostOptions = trainingOptions): Model {
  const pages = all.filter(fits)
  const rows = pages.flatMap((page) => page.rows)
  const labels = pages.flatMap((page) => page.labels)
  const weights = pages.flatMap(weigh)
  return boost(
    [...rows, ...rows.map(withoutMarks)],
    [...labels, ...labels],
    [...weights, ...weights.map((weight) => weight * 0.5)],
    options,
  )
}

function writeTree(tree: Tree, node = 0): string {
  const feature = tree.feature[node]!
  if (feature < 0) return `=${Number(tree.value[node]!.toFixed(3))}`
  return `${feature}<${Number(tree.threshold[node]!.toPrecision(4))} ${writeTree(tree, tree.left[node])} ${writeTree(tree, tree.right[node])}`
}

function writeLines(trees: readonly Tree[]): string {
  return trees
    .map((tree, index) => (index % 2 === 0 ? `  '${writeTree(tree)}` : `;${writeTree(tree)}',\n`))
    .join('')
    .trimEnd()
}

/** The source of model.ts. */
export function writeModel(model: Model): string {
  return `// Learned from 240 pages of WCXB, the Web Content eXtraction Benchmark (Murrough Foley, 2026, CC-BY-4.0).

/** Made by test/bench/content/train.ts: the logit of a text without features. */
export const base = ${model.base.toFixed(4)}

/** Made by test/bench/content/train.ts: trees, two a line, each its nodes in preorder; \`feature<threshold\`, or \`=value\` for a leaf. */
export const trees: readonly string[] = [
${writeLines(model.trees)}
]
`
}

if (import.meta.main) {
  const pages = readLabelledPages(process.argv[2] ?? '').map(toTrainingPage)
  writeFileSync(
    new URL('../../../server/src/scrape/extract/main-content/model.ts', import.meta.url),
    writeModel(train(pages)),
  )
}
