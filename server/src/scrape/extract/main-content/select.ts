import type { Document } from 'domhandler'
import { featureRows } from './features.ts'
import { headingLevel, buildLayout, type Layout } from './layout.ts'
import { scoreRow } from './score.ts'
import { segment } from './segment.ts'

/** The main content of a page: all its texts, and which of them to keep. */
export interface MainContent {
  readonly layout: Layout
  /** For every text whether it is kept, in the order of `layout.leaves`. */
  readonly isKept: readonly boolean[]
}

/** How to weigh what is missed against what is kept in vain. */
export interface SelectOptions {
  /** 1 = alike; 0.5 = keeping something in vain is worse. Default 1. */
  readonly beta?: number | undefined
  /** The chance of a text, by its features. Default: the model of this package. */
  readonly score?: ((row: Float32Array) => number) | undefined
}

/** Chooses the texts of a page that are its main content. */
export function selectMainContent(document: Document, options: SelectOptions = {}): MainContent {
  const layout = buildLayout(document, segment(document))
  const chances = featureRows(layout).map((row) => (options.score ?? scoreRow)(row))
  const words = layout.facts.map((fact) => fact.words)
  const isChosen = withTitle(layout, chances, chooseTexts(chances, words, options.beta ?? 1))
  return { layout, isKept: withoutRepeats(layout, isChosen) }
}

// Words that a page of few words is assumed to have besides: it keeps one short text from deciding alone.
const priorWords = 20

/** Keeps the most likely texts, down to where the expected F-score of the choice is best. */
export function chooseTexts(chances: readonly number[], words: readonly number[], beta: number): readonly boolean[] {
  const order = chances.map((_, index) => index).sort((left, right) => (chances[right] ?? 0) - (chances[left] ?? 0))
  const square = beta ** 2
  const expected = chances.reduce((sum, chance, index) => sum + chance * (words[index] ?? 0), 0)
  let hits = 0
  let kept = 0
  let best = 0
  let least = 1
  for (const index of order) {
    hits += (chances[index] ?? 0) * (words[index] ?? 0)
    kept += words[index] ?? 0
    const score = ((1 + square) * hits) / (kept + square * expected + priorWords)
    if (score <= best) continue
    best = score
    least = chances[index] ?? 0
  }
  return chances.map((chance) => chance >= least && best > 0)
}

const leastTitleChance = 0.05

/** Keeps the title, which labels tend to leave out and readers miss, unless it is the name of the site. */
function withTitle(layout: Layout, chances: readonly number[], isKept: readonly boolean[]): readonly boolean[] {
  const { firstHeading } = layout
  const context = layout.contexts[firstHeading]
  if (context === undefined || headingLevel(context.element) !== 1 || !isKept.includes(true)) return isKept
  return isKept.map((is, index) => is || (index === firstHeading && (chances[index] ?? 0) > leastTitleChance))
}

const repeatWords = 6

/** Drops what was kept before word for word: quotes, and copies for other screens. */
function withoutRepeats(layout: Layout, isKept: readonly boolean[]): readonly boolean[] {
  const seen = new Set<string>()
  return layout.leaves.map((leaf, index) => {
    if (isKept[index] !== true) return false
    if ((layout.facts[index]?.words ?? 0) < repeatWords) return true
    if (seen.has(leaf.text)) return false
    seen.add(leaf.text)
    return true
  })
}
