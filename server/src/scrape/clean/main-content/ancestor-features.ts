import type { FeatureRow } from './feature-row.ts'
import type { Layout } from './layout.ts'
import { log } from './numbers.ts'
import type { ElementContext } from './element-context.ts'

/** Facts that the texts of an element have in common, found once for all of them. */
export interface ElementFacts {
  /** Words, link share, sentences. */
  readonly sums: Float32Array
  /** The nearest element of a group of similar siblings: the element itself or an ancestor. */
  readonly inGroup: ElementContext | undefined
  /**
   * The element of the group with the most words whose members have several texts each, such as
   * cards or posts.
   */
  readonly inCards: ElementContext | undefined
  /** The nearest element that is around the element with the most prose, or that element. */
  readonly sharedWithTop: ElementContext | undefined
}

/** Returns the facts of all elements, by their index. */
export function readElementFacts(layout: Layout): readonly ElementFacts[] {
  const aroundTop = ancestorsOf(layout.top)
  const all: ElementFacts[] = []
  for (const context of layout.elements) {
    const above = context.parent && all[context.parent.index]
    all.push({
      sums: sumFeatures(layout, context),
      inGroup: context.group === undefined ? above?.inGroup : context,
      inCards: areMoreCards(context, above?.inCards) ? context : above?.inCards,
      sharedWithTop: aroundTop.has(context) ? context : above?.sharedWithTop,
    })
  }
  return all
}

/** Whether the group of an element has texts like cards, and at least as many words as others. */
function areMoreCards({ group }: ElementContext, others: ElementContext | undefined): boolean {
  if (group === undefined || group.sums.leaves < 1.5 * group.size || group.sums.words <= 0) return false
  return group.sums.words >= (others?.group?.sums.words ?? 0)
}

function sumFeatures(layout: Layout, { sums }: ElementContext): Float32Array {
  return Float32Array.of(
    log(sums.words),
    sums.linkWords / Math.max(1, sums.words),
    log(sums.words / (sums.sentences + 1)),
    log(sums.words / Math.max(1, sums.leaves)),
    sums.words / Math.max(1, layout.total.words),
    sums.boilerplate / Math.max(1, sums.words),
  )
}

/** Adds features of the ancestors of a text: words, link share, sentences. */
export function addAncestorFeatures(row: FeatureRow, context: ElementContext, facts: readonly ElementFacts[]): void {
  let up = context
  for (let step = 0; step <= 5; step++) {
    if (step !== 4) row.addAll(facts[up.index]?.sums ?? [])
    up = up.parent ?? up
  }
}

const noGroup = [0, 0, 0, 0, 30, 0, 0]

/** Adds features of the nearest group of similar siblings around a text. */
export function addGroupFeatures(row: FeatureRow, layout: Layout, context: ElementContext, facts: ElementFacts): void {
  const { group, depth } = facts.inGroup ?? {}
  if (group === undefined || depth === undefined) return row.addAll(noGroup)
  const { sums } = group
  row.add(log(group.size))
  row.add(log(sums.words / group.size))
  row.add(sums.linkWords / Math.max(1, sums.words))
  row.add(sums.words / Math.max(1, layout.total.words))
  row.add(context.depth - depth)
  row.addFlag(group === layout.biggestGroup)
  row.add(log(sums.leaves / group.size))
}

const noCards = [0, 0, 0, 0, 30, 0, 0, 0]

/**
 * Adds features of the largest group around a text whose members have several texts each, such as
 * cards or posts.
 */
export function addCardFeatures(row: FeatureRow, layout: Layout, context: ElementContext, facts: ElementFacts): void {
  const { group, depth, parent } = facts.inCards ?? {}
  if (group === undefined || depth === undefined) return row.addAll(noCards)
  const { sums, size } = group
  row.add(log(size))
  row.add(log(sums.words / size))
  row.add(sums.linkWords / Math.max(1, sums.words))
  row.add(sums.words / Math.max(1, layout.total.words))
  row.add(context.depth - depth)
  row.add(log(sums.leaves / size))
  row.add(log(sums.sentences / size))
  row.add((parent?.sums.order ?? 0) / layout.leaves.length)
}

/** Returns an element and all its ancestors. */
export function ancestorsOf(context: ElementContext | undefined): ReadonlySet<ElementContext> {
  const all = new Set<ElementContext>()
  for (let up = context; up !== undefined; up = up.parent) all.add(up)
  return all
}

const noTop = [0, 30, 0, 0, 0]

/** Adds features of a text relative to the element with the most prose. */
export function addTopFeatures(row: FeatureRow, layout: Layout, index: number, { sharedWithTop }: ElementFacts): void {
  const { top, total } = layout
  if (top === undefined) return row.addAll(noTop)
  row.addFlag(sharedWithTop === top)
  row.add(sharedWithTop === undefined ? 0 : top.depth - sharedWithTop.depth)
  row.add(top.sums.words / Math.max(1, total.words))
  row.add(top.sums.linkWords / Math.max(1, top.sums.words))
  row.add(Number(index >= top.sums.order) + Number(index >= top.sums.order + top.sums.leaves))
}
