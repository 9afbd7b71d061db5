import type { Document } from 'domhandler'
import { readLeaf, type LeafFacts } from './leaf-facts.ts'
import { readPageFacts, type PageFacts } from './page-facts.ts'
import {
  addToSums,
  findGroups,
  contextOf,
  type Contexts,
  type Group,
  type ElementContext,
  type Sums,
} from './element-context.ts'
import type { Leaf } from './segment.ts'
import { Vocabulary } from './vocabulary.ts'

/** Texts of a page with their facts and contexts, and sums over the page. */
export interface Layout {
  readonly leaves: readonly Leaf[]
  readonly facts: readonly LeafFacts[]
  readonly contexts: readonly ElementContext[]
  /** Contexts of all elements with texts, each after that of its parent. */
  readonly elements: readonly ElementContext[]
  readonly page: PageFacts
  readonly total: Sums
  readonly firstHeading: number
  readonly biggestGroup: Group | undefined
  readonly firstSeen: ReadonlyMap<string, number>
  readonly repeats: ReadonlyMap<string, number>
  readonly top: ElementContext | undefined
  readonly prices: number
  readonly articles: number
}

/** Collects facts and contexts of the texts of a page. */
export function buildLayout(document: Document, leaves: readonly Leaf[]): Layout {
  const elements: Contexts = { byElement: new Map(), marksByNames: new Map() }
  const page = readPageFacts(document)
  const vocabulary = new Vocabulary(page)
  const facts = leaves.map((leaf) => readLeaf(leaf, vocabulary))
  const contexts = leaves.map((leaf) => contextOf(leaf.parent, elements))
  const firstSeen = new Map<string, number>()
  const repeats = new Map<string, number>()
  const total: Sums = { words: 0, linkWords: 0, sentences: 0, leaves: 0, paragraphWords: 0, boilerplate: 0, order: 0 }
  for (const [index, leaf] of leaves.entries()) {
    const fact = facts[index]
    const context = contexts[index]
    if (fact === undefined || context === undefined) continue
    if (!firstSeen.has(leaf.text)) firstSeen.set(leaf.text, index)
    repeats.set(leaf.text, (repeats.get(leaf.text) ?? 0) + 1)
    const sums = {
      words: fact.words,
      linkWords: fact.words * fact.linkShare,
      sentences: fact.sentences,
      paragraphWords: fact.isParagraph ? fact.words : 0,
      boilerplate: fact.boilerplate,
      order: index,
    }
    addToSums(context, sums)
    total.words += sums.words
    total.linkWords += sums.linkWords
    total.sentences += sums.sentences
    total.paragraphWords += sums.paragraphWords
    total.boilerplate += sums.boilerplate
    total.leaves++
  }
  const groups = findGroups(elements.byElement)
  return {
    leaves,
    facts,
    contexts,
    elements: [...elements.byElement.values()],
    page,
    total,
    firstHeading: findHeading(contexts, facts),
    biggestGroup: groups.reduce<Group | undefined>(
      (big, each) => (each.sums.words > (big?.sums.words ?? 0) ? each : big),
      undefined,
    ),
    firstSeen,
    repeats,
    top: findTop(contexts, facts),
    prices: facts.filter((fact) => fact.hasPrice).length,
    articles: [...elements.byElement.keys()].filter((element) => element.name === 'article').length,
  }
}

/** Returns the index of the h1 or h2 that matches the title best, or -1. */
function findHeading(contexts: readonly ElementContext[], facts: readonly LeafFacts[]): number {
  let best = -1
  let bestScore = 0
  for (const [index, { headingLevel }] of contexts.entries()) {
    const fact = facts[index]
    if (fact === undefined || headingLevel === 0 || headingLevel > 2) continue
    const score = (headingLevel === 1 ? 1 : 0) + fact.titleOverlap * Math.min(fact.distinctWords, 4)
    if (score > bestScore) {
      best = index
      bestScore = score
    }
  }
  return best
}

/**
 * Finds the element with the most prose: each text scores for its ancestors, less with every step.
 */
function findTop(contexts: readonly ElementContext[], facts: readonly LeafFacts[]): ElementContext | undefined {
  const scores = new Map<ElementContext, number>()
  let best: ElementContext | undefined
  for (const [index, context] of contexts.entries()) {
    const fact = facts[index]
    if (fact === undefined || fact.words < 6) continue
    const points = fact.words * (1 - fact.linkShare) * (fact.sentences > 0 ? 1 : 0.3)
    let up = context.parent
    for (let step = 1; step <= 4 && up !== undefined; step++, up = up.parent) {
      const score = (scores.get(up) ?? 0) + points / step
      scores.set(up, score)
      if (best === undefined || score > (scores.get(best) ?? 0)) best = up
    }
  }
  return best
}
