import type { Layout } from './layout.ts'
import { flag, log } from './numbers.ts'
import type { Group, ElementContext } from './element-context.ts'

/** Features of the ancestors of a text: words, link share, sentences. */
export function ancestorFeatures(layout: Layout, index: number): number[] {
  const row: number[] = []
  let context = layout.contexts[index]
  for (let step = 0; step <= 5; step++) {
    if (step !== 4 && context !== undefined) {
      const { sums } = context
      row.push(
        log(sums.words),
        sums.linkWords / Math.max(1, sums.words),
        log(sums.words / (sums.sentences + 1)),
        log(sums.words / Math.max(1, sums.leaves)),
        sums.words / Math.max(1, layout.total.words),
        sums.boilerplate / Math.max(1, sums.words),
      )
    }
    context = context?.parent ?? context
  }
  return row
}

/** Features of the nearest group of similar siblings around a text. */
export function groupFeatures(layout: Layout, index: number): number[] {
  let steps = 0
  for (let context = layout.contexts[index]; context !== undefined; context = context.parent, steps++) {
    const { group } = context
    if (group === undefined) continue
    const { sums } = group
    return [
      log(group.size),
      log(sums.words / group.size),
      sums.linkWords / Math.max(1, sums.words),
      sums.words / Math.max(1, layout.total.words),
      steps,
      flag(group === layout.biggestGroup),
      log(sums.leaves / group.size),
    ]
  }
  return [0, 0, 0, 0, 30, 0, 0]
}

/**
 * Features of the largest group around a text whose members have several texts each, such as cards
 * or posts.
 */
export function cardFeatures(layout: Layout, index: number): number[] {
  let best: Group | undefined
  let bestSteps = 30
  let bestStart = 0
  let steps = 0
  for (let context = layout.contexts[index]; context !== undefined; context = context.parent, steps++) {
    const { group } = context
    if (group === undefined || group.sums.leaves < 1.5 * group.size || group.sums.words <= (best?.sums.words ?? 0))
      continue
    best = group
    bestSteps = steps
    bestStart = context.parent?.sums.order ?? 0
  }
  if (best === undefined) return [0, 0, 0, 0, 30, 0, 0, 0]
  const { sums, size } = best
  return [
    log(size),
    log(sums.words / size),
    sums.linkWords / Math.max(1, sums.words),
    sums.words / Math.max(1, layout.total.words),
    bestSteps,
    log(sums.leaves / size),
    log(sums.sentences / size),
    bestStart / layout.leaves.length,
  ]
}

/** Returns an element and all its ancestors. */
export function ancestorsOf(context: ElementContext | undefined): ReadonlySet<ElementContext> {
  const all = new Set<ElementContext>()
  for (let up = context; up !== undefined; up = up.parent) all.add(up)
  return all
}

/** Features of a text relative to the element with the most prose. */
export function topFeatures(layout: Layout, index: number, aboveTop: ReadonlySet<ElementContext>): number[] {
  const { top, total } = layout
  if (top === undefined) return [0, 30, 0, 0, 0]
  let steps = 0
  let isIn = false
  for (let context = layout.contexts[index]; context !== undefined; context = context.parent) {
    if (context === top) isIn = true
    if (aboveTop.has(context)) {
      steps = top.depth - context.depth
      break
    }
  }
  return [
    flag(isIn),
    steps,
    top.sums.words / Math.max(1, total.words),
    top.sums.linkWords / Math.max(1, top.sums.words),
    flag(index >= top.sums.order) + flag(index >= top.sums.order + top.sums.leaves),
  ]
}
