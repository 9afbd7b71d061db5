import { headingLevel, overlap, type Layout } from './layout.ts'
import { flag, log } from './numbers.ts'
import { areaNames } from './element-context.ts'

/** Elements that features distinguish, as parent or grandparent of a text. */
export const tagKinds = [
  'p',
  'li',
  'td',
  'th',
  'a',
  'span',
  'div',
  'dt',
  'dd',
  'label',
  'button',
  'figcaption',
  'time',
  'summary',
] as const

/** Features of a text and its element. */
export function ownFeatures(layout: Layout, index: number): number[] {
  const fact = layout.facts[index]
  const context = layout.contexts[index]
  if (fact === undefined || context === undefined) return []
  const row = [
    log(fact.words),
    fact.linkShare,
    log(fact.sentences),
    flag(fact.endsLikeSentence),
    fact.marksPerWord,
    fact.digitShare,
    fact.capitalizedShare,
    fact.upperCaseShare,
    fact.shortWordShare,
    fact.lettersPerWord,
    fact.boilerplate / fact.words,
    flag(fact.hasPrice),
    flag(fact.hasCopyright),
    flag(fact.hasDate),
    headingLevel(context.element),
    flag(context.element.name === 'pre'),
  ]
  for (const kind of tagKinds) row.push(flag(context.element.name === kind || context.parent?.element.name === kind))
  for (let bit = 0; bit < areaNames.length; bit++) row.push((context.areas >> bit) & 1)
  for (const steps of context.markSteps) row.push(Math.min(steps, 12))
  return row
}

/** Features of the position of a text in the page. */
export function positionFeatures(layout: Layout, index: number, wordsBefore: Float64Array): number[] {
  const fact = layout.facts[index]
  const context = layout.contexts[index]
  const leaf = layout.leaves[index]
  if (fact === undefined || context === undefined || leaf === undefined) return []
  const before = wordsBefore[index] ?? 0
  const fromHeading = layout.firstHeading < 0 ? 0 : before - (wordsBefore[layout.firstHeading] ?? 0)
  return [
    flag(context.isHidden),
    context.depth,
    before / Math.max(1, layout.total.words),
    index / layout.leaves.length,
    layout.firstHeading < 0 ? 0 : Math.sign(index - layout.firstHeading),
    Math.sign(fromHeading) * log(Math.abs(fromHeading)),
    overlap(fact.distinctWords, layout.page.titleWords),
    overlap(fact.distinctWords, layout.page.descriptionWords),
    overlap(fact.distinctWords, layout.page.structuredWords),
    overlap(fact.distinctWords, layout.page.reviewWords),
    log(longestRun(leaf.text)),
    flag((layout.firstSeen.get(leaf.text) ?? index) < index),
    log(layout.repeats.get(leaf.text) ?? 1),
  ]
}

function longestRun(text: string): number {
  let longest = 0
  for (let from = 0; from < text.length;) {
    const space = text.indexOf(' ', from)
    const to = space < 0 ? text.length : space
    longest = Math.max(longest, to - from)
    from = to + 1
  }
  return longest
}

/** Features of the texts before and after a text. */
export function neighbourFeatures(layout: Layout, index: number): number[] {
  const row: number[] = []
  for (const step of [-2, -1, 1, 2]) {
    const fact = layout.facts[index + step]
    const context = layout.contexts[index + step]
    row.push(log(fact?.words ?? 0), fact?.linkShare ?? 0.5, context === undefined ? 0 : headingLevel(context.element))
  }
  let words = 0
  let linkWords = 0
  let paragraphWords = 0
  for (let near = index - 6; near <= index + 6; near++) {
    const fact = layout.facts[near]
    if (fact === undefined || near === index) continue
    words += fact.words
    linkWords += fact.words * fact.linkShare
    if (fact.sentences > 0 && fact.linkShare < 0.4 && fact.words >= 8) paragraphWords += fact.words
  }
  row.push(log(words), linkWords / Math.max(1, words), paragraphWords / Math.max(1, words))
  return row
}
