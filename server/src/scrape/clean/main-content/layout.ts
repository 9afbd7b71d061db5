import type { Document, Element } from 'domhandler'
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

/** Texts of a page with their facts and contexts, and sums over the page. */
export interface Layout {
  readonly leaves: readonly Leaf[]
  readonly facts: readonly LeafFacts[]
  readonly contexts: readonly ElementContext[]
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
  const facts = leaves.map(readLeaf)
  const contexts = leaves.map((leaf) => contextOf(leaf.parent, elements))
  const page = readPageFacts(document)
  const firstSeen = new Map<string, number>()
  const repeats = new Map<string, number>()
  const total: Sums = { words: 0, linkWords: 0, sentences: 0, leaves: 0, paragraphWords: 0, boilerplate: 0, order: 0 }
  for (const [index, leaf] of leaves.entries()) {
    const fact = facts[index]
    const context = contexts[index]
    if (fact === undefined || context === undefined) continue
    if (!firstSeen.has(leaf.text)) firstSeen.set(leaf.text, index)
    repeats.set(leaf.text, (repeats.get(leaf.text) ?? 0) + 1)
    const isParagraph = fact.sentences > 0 && fact.linkShare < 0.4 && fact.words >= 8
    const sums = {
      words: fact.words,
      linkWords: fact.words * fact.linkShare,
      sentences: fact.sentences,
      paragraphWords: isParagraph ? fact.words : 0,
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
    page,
    total,
    firstHeading: findHeading(leaves, facts, page),
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

/** Returns the share of words that are in `known`. */
export function overlap(words: readonly string[], known: ReadonlySet<string>): number {
  return words.length === 0 ? 0 : words.filter((word) => known.has(word)).length / words.length
}

/** Returns the index of the h1 or h2 that matches the title best, or -1. */
function findHeading(leaves: readonly Leaf[], facts: readonly LeafFacts[], page: PageFacts): number {
  let best = -1
  let bestScore = 0
  for (const [index, leaf] of leaves.entries()) {
    const level = headingLevel(leaf.parent)
    if (level === 0 || level > 2) continue
    const words = facts[index]?.distinctWords ?? []
    const score = (level === 1 ? 1 : 0) + overlap(words, page.titleWords) * Math.min(words.length, 4)
    if (score > bestScore) {
      best = index
      bestScore = score
    }
  }
  return best
}

/** Returns the level of the heading that an element is in, at most three steps up, or 0. */
export function headingLevel(element: Element): number {
  let up: Element | null = element
  for (let step = 0; step < 4 && up !== null; step++) {
    const level = up.name.length === 2 && up.name.startsWith('h') ? up.name.charCodeAt(1) - 48 : 0
    if (level >= 1 && level <= 6) return level
    const parent: Element['parent'] = up.parent
    up = parent !== null && 'name' in parent ? parent : null
  }
  return 0
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
