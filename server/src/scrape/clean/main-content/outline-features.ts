import type { Layout } from './layout.ts'
import { log } from './numbers.ts'
import type { FeatureRow } from './feature-row.ts'
import type { ElementContext } from './element-context.ts'

/** Kinds of sections, by words in their headings. */
const kinds = [
  /\brelated|recommend|similar|also (?:like|bought|view|enjoy)|you may|you might|more (?:from|in|on|like|stories|articles|posts|to)|popular|trending|keep reading|read next|up next|recently viewed|sponsored|inspired|pairs? with|complete the|best sellers|shop (?:by|all)|explore/i,
  /\breviews?\b|\bratings?\b|customers? say|testimonial/i,
  /\bcomments?\b|\brepl(?:y|ies)\b|\bresponses?\b|\banswers?\b|discussion/i,
  /\bdescription|\bdetails|specs?\b|specification|features?\b|overview|about (?:this|the)|ingredients|materials|what'?s (?:in|included)|how it works|benefits|dimensions|\bcare\b/i,
  /\bfilters?\b|refine|sort(?: by)?\b|categor|browse|\bbrands?\b|price range/i,
  /newsletter|subscribe|sign ?up|join (?:us|our)|follow us|get in touch|contact|stay (?:in|up)|download the app|cookie|privacy|cart\b|notify me|shipping|returns?\b|policy|payment/i,
  /frequently asked|\bfaqs?\b|questions/i,
  /about us|company|support|resources|quick links|customer (?:service|care)|\bhelp\b|\blegal\b|information|navigation|\bmenu\b|account/i,
] as const

/** Names of the `outlineFeatures`, in order. */
export const outlineNames: readonly string[] = [
  ...kinds.map((_, index) => `outline${index}`),
  ...kinds.map((_, index) => `headed${index}`),
  'outlineDepth',
  'outlineWords',
  'sectionWords',
  'sectionLinkShare',
]

/** Headings above each text: by level, and by the boxes that they open. */
export interface Outline {
  /** For every text, bits of the kinds of all headings above it. */
  readonly kindsAbove: Int32Array
  readonly depth: Uint8Array
  /** For every text, the index of its section: all texts under the same heading. */
  readonly section: Int32Array
  readonly sectionWords: readonly number[]
  readonly sectionLinkWords: readonly number[]
  /**
   * For every element, bits of the kinds of the headings that it and the boxes around it open with.
   */
  readonly headed: Int32Array
}

// A box opens with a heading if at most this many texts are before it.
const lead = 1

interface Heading {
  readonly level: number
  readonly bits: number
}

/** Builds the outline of a page. */
export function readOutline(layout: Layout): Outline {
  const count = layout.leaves.length
  const outline = {
    kindsAbove: new Int32Array(count),
    depth: new Uint8Array(count),
    section: new Int32Array(count),
    sectionWords: [0],
    sectionLinkWords: [0],
  }
  const opened = new Map<ElementContext, number>()
  let stack: readonly Heading[] = []
  for (const [index, leaf] of layout.leaves.entries()) {
    const context = layout.contexts[index]
    const fact = layout.facts[index]
    if (context === undefined || fact === undefined) continue
    const level = context.headingLevel
    if (level > 0) {
      const bits = kindsOf(leaf.text)
      stack = [...stack.filter((each) => each.level < level), { level, bits }]
      outline.sectionWords.push(0)
      outline.sectionLinkWords.push(0)
      openBoxes(context, index, bits, layout.total.words, opened)
    }
    const at = outline.sectionWords.length - 1
    outline.kindsAbove[index] = stack.reduce((bits, heading) => bits | heading.bits, 0)
    outline.depth[index] = stack.length
    outline.section[index] = at
    outline.sectionWords[at] = (outline.sectionWords[at] ?? 0) + fact.words
    outline.sectionLinkWords[at] = (outline.sectionLinkWords[at] ?? 0) + fact.words * fact.linkShare
  }
  return { ...outline, headed: joinHeadings(layout.elements, opened) }
}

/** Adds the headings of the boxes around each element to those that it opens with. */
function joinHeadings(elements: readonly ElementContext[], opened: ReadonlyMap<ElementContext, number>): Int32Array {
  const headed = new Int32Array(elements.length)
  for (const context of elements) {
    const above = context.parent === undefined ? 0 : (headed[context.parent.index] ?? 0)
    headed[context.index] = above | (opened.get(context) ?? 0)
  }
  return headed
}

function kindsOf(text: string): number {
  let bits = 0
  if (text.length > 90) return 0
  for (const [index, kind] of kinds.entries()) if (kind.test(text)) bits |= 1 << index
  return bits
}

/**
 * Records a heading in all boxes that it opens, except those with more than half of the page's
 * words.
 */
function openBoxes(
  context: ElementContext,
  index: number,
  bits: number,
  pageWords: number,
  opened: Map<ElementContext, number>,
): void {
  for (let up: ElementContext | undefined = context; up !== undefined; up = up.parent) {
    if (up.sums.order < index - lead || up.sums.words > pageWords / 2) return
    if (!opened.has(up)) opened.set(up, bits)
  }
}

/** Adds features of the headings above a text. */
export function addOutlineFeatures(row: FeatureRow, layout: Layout, index: number, outline: Outline): void {
  const section = outline.section[index] ?? 0
  const words = outline.sectionWords[section] ?? 0
  row.addBits(outline.kindsAbove[index] ?? 0, kinds.length)
  row.addBits(outline.headed[layout.contexts[index]?.index ?? -1] ?? 0, kinds.length)
  row.add(outline.depth[index] ?? 0)
  row.add(log(words))
  row.add(words / Math.max(1, layout.total.words))
  row.add((outline.sectionLinkWords[section] ?? 0) / Math.max(1, words))
}
