import type { FeatureRow } from './feature-row.ts'
import type { Layout } from './layout.ts'
import { log } from './numbers.ts'
import type { ElementContext } from './element-context.ts'

/** Texts of a page in similar elements, such as all card titles. */
export interface SimilarTexts {
  readonly first: number
  last: number
  count: number
  words: number
  linkWords: number
}

/** Finds, for every text, the texts in similar elements. */
export function findSimilar(layout: Layout): readonly SimilarTexts[] {
  const groupsBySignature = new Map<string, SimilarTexts>()
  return layout.contexts.map((context, index) => {
    const signature = signatureOf(context)
    const similar = groupsBySignature.get(signature) ?? { first: index, last: index, count: 0, words: 0, linkWords: 0 }
    groupsBySignature.set(signature, similar)
    const fact = layout.facts[index]
    similar.last = index
    similar.count++
    similar.words += fact?.words ?? 0
    similar.linkWords += (fact?.words ?? 0) * (fact?.linkShare ?? 0)
    return similar
  })
}

/** Returns the names and classes of an element and its two nearest ancestors. */
function signatureOf(context: ElementContext): string {
  let signature = ''
  let up: ElementContext | undefined = context
  for (let step = 0; step < 3 && up !== undefined; step++, up = up.parent) {
    signature += `>${up.signature}`
  }
  return signature
}

/** Adds features of the texts in similar elements. */
export function addSimilarFeatures(row: FeatureRow, layout: Layout, similar: SimilarTexts): void {
  const leaves = layout.leaves.length
  row.add(log(similar.count))
  row.add(log(similar.words))
  row.add(log(similar.words / similar.count))
  row.add(similar.linkWords / Math.max(1, similar.words))
  row.add(similar.words / Math.max(1, layout.total.words))
  row.add(similar.first / leaves)
  row.add((similar.last - similar.first) / leaves)
}

/** Returns, for every text, the index of the last heading at or before it, or -1. */
export function headingsAbove(layout: Layout): readonly number[] {
  let last = -1
  return layout.contexts.map((context, index) => {
    const isHeading =
      context.headingLevel > 0 || /(^|[-_ ])(heading|title)($|[-_ ])/i.test(context.element.attribs['class'] ?? '')
    if (isHeading) last = index
    return last
  })
}

const asideHeading =
  /related|recommend|similar|also (like|bought|view)|you may|you might|more (from|in|on|like|stories|articles|posts)|popular|trending|latest|recent|newsletter|subscribe|sign up|share|follow|categor|archive|tags|navigation|menu|about us|contact|connect|quick links|resources|company|support|keep reading|read next|up next|filter|sort|cart|cookie|privacy|download|footer|customers? also|frequently bought|sponsored/i

const reviewHeading = /review|comment|repl|response|rating|questions|answers|testimonial/i

/** Features of the headings of a page, by the index of their texts. */
export function headingRows(layout: Layout, above: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const rows = new Map<number, readonly number[]>()
  for (const at of new Set(above)) {
    const leaf = layout.leaves[at]
    const fact = layout.facts[at]
    const context = layout.contexts[at]
    if (leaf === undefined || fact === undefined || context === undefined) continue
    rows.set(at, [
      context.headingLevel,
      Number(asideHeading.test(leaf.text)),
      Number(reviewHeading.test(leaf.text)),
      fact.titleOverlap,
      log(fact.words),
      fact.linkShare,
    ])
  }
  return rows
}

const noHeading = [99, 0, 0, 0, 0, 0, 0]

/** Adds features of the heading above a text, given its index or -1 and its row. */
export function addHeadingFeatures(
  row: FeatureRow,
  index: number,
  above: number,
  heading: readonly number[] | undefined,
): void {
  if (heading === undefined) return row.addAll(noHeading)
  row.add(Math.min(99, index - above))
  row.addAll(heading)
}
