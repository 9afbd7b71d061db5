import type { Document } from 'domhandler'
import { withComments } from './comments.ts'
import { withoutCopies } from './copies.ts'
import { featureRows } from './features.ts'
import { buildLayout, type Layout } from './layout.ts'
import { scoreRows } from './score.ts'
import { segment } from './segment.ts'

/** The main content of a page: all its texts, and which of them to keep. */
export interface MainContent {
  readonly layout: Layout
  /** For every text whether it is kept, in the order of `layout.leaves`. */
  readonly isKept: readonly boolean[]
}

/** Options of `selectMainContent`. */
export interface SelectOptions {
  /**
   * Beta of the F-score. 1 weighs recall and precision equally, 0.5 prefers precision. Default: 1.
   */
  readonly beta?: number | undefined
  /** Whether to keep the comments of readers. Default: those that the model selects. */
  readonly includeComments?: boolean | undefined
  /** Returns the probabilities of texts, by their features. Default: the built-in model. */
  readonly score?: ((rows: readonly Float32Array[]) => readonly number[]) | undefined
}

/** Selects the texts of a page that are its main content. */
export function selectMainContent(document: Document, options: SelectOptions = {}): MainContent {
  const layout = buildLayout(document, segment(document))
  const probabilities = (options.score ?? scoreRows)(featureRows(layout))
  const words = layout.facts.map((fact) => fact.words)
  const isLikely = withTitle(layout, probabilities, chooseTexts(probabilities, words, options.beta ?? 1))
  const { includeComments } = options
  const isChosen = includeComments === undefined ? isLikely : withComments(layout, isLikely, includeComments)
  return { layout, isKept: withoutCopies(layout, isChosen) }
}

// Words added to every page, so that a single short text does not decide on short pages.
const priorWords = 20

/** Keeps the most likely texts, down to the threshold with the best expected F-score. */
export function chooseTexts(
  probabilities: readonly number[],
  words: readonly number[],
  beta: number,
): readonly boolean[] {
  const order = probabilities
    .map((_, index) => index)
    .sort((left, right) => (probabilities[right] ?? 0) - (probabilities[left] ?? 0))
  const square = beta ** 2
  const expected = probabilities.reduce((sum, probability, index) => sum + probability * (words[index] ?? 0), 0)
  let hits = 0
  let kept = 0
  let best = 0
  let least = 1
  for (const index of order) {
    hits += (probabilities[index] ?? 0) * (words[index] ?? 0)
    kept += words[index] ?? 0
    const score = ((1 + square) * hits) / (kept + square * expected + priorWords)
    if (score <= best) continue
    best = score
    least = probabilities[index] ?? 0
  }
  return probabilities.map((probability) => probability >= least && best > 0)
}

const minTitleProbability = 0.05

/** Keeps the title, which training labels tend to omit, unless it is the name of the site. */
function withTitle(layout: Layout, probabilities: readonly number[], isKept: readonly boolean[]): readonly boolean[] {
  const { firstHeading } = layout
  const context = layout.contexts[firstHeading]
  if (context === undefined || context.headingLevel !== 1 || !isKept.includes(true)) return isKept
  return isKept.map((is, index) => is || (index === firstHeading && (probabilities[index] ?? 0) > minTitleProbability))
}
