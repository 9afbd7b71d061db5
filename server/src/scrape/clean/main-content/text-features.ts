import { areaNames, tagKinds, type ElementContext } from './element-context.ts'
import type { FeatureRow } from './feature-row.ts'
import type { Layout } from './layout.ts'
import type { LeafFacts } from './leaf-facts.ts'
import { log } from './numbers.ts'

/** Adds features of a text and its element. */
export function addOwnFeatures(row: FeatureRow, fact: LeafFacts, context: ElementContext): void {
  row.add(fact.logWords)
  row.add(fact.linkShare)
  row.add(log(fact.sentences))
  row.addFlag(fact.endsLikeSentence)
  row.add(fact.marksPerWord)
  row.add(fact.digitShare)
  row.add(fact.capitalizedShare)
  row.add(fact.upperCaseShare)
  row.add(fact.shortWordShare)
  row.add(fact.lettersPerWord)
  row.add(fact.boilerplate / fact.words)
  row.addFlag(fact.hasPrice)
  row.addFlag(fact.hasCopyright)
  row.addFlag(fact.hasDate)
  row.add(context.headingLevel)
  row.addFlag(context.element.name === 'pre')
  row.addBits(context.tags, tagKinds.length)
  row.addBits(context.areas, areaNames.length)
  for (let mark = 0; mark < context.markSteps.length; mark++) row.add(Math.min(context.markSteps[mark] ?? 0, 12))
}

/** Adds features of the position of a text in the page. */
export function addPositionFeatures(row: FeatureRow, layout: Layout, index: number, wordsBefore: Float64Array): void {
  const fact = layout.facts[index]
  const context = layout.contexts[index]
  const leaf = layout.leaves[index]
  if (fact === undefined || context === undefined || leaf === undefined) return
  const before = wordsBefore[index] ?? 0
  const { firstHeading } = layout
  const fromHeading = firstHeading < 0 ? 0 : before - (wordsBefore[firstHeading] ?? 0)
  row.addFlag(context.isHidden)
  row.add(context.depth)
  row.add(before / Math.max(1, layout.total.words))
  row.add(index / layout.leaves.length)
  row.add(firstHeading < 0 ? 0 : Math.sign(index - firstHeading))
  row.add(Math.sign(fromHeading) * log(Math.abs(fromHeading)))
  row.add(fact.titleOverlap)
  row.add(fact.descriptionOverlap)
  row.add(fact.structuredOverlap)
  row.add(fact.reviewOverlap)
  row.add(log(longestRun(leaf.text)))
  row.addFlag((layout.firstSeen.get(leaf.text) ?? index) < index)
  row.add(log(layout.repeats.get(leaf.text) ?? 1))
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

/** Adds features of the texts before and after a text. */
export function addNeighbourFeatures(row: FeatureRow, layout: Layout, index: number): void {
  const { facts, contexts } = layout
  for (const step of neighbourSteps) {
    const fact = facts[index + step]
    row.add(fact?.logWords ?? 0)
    row.add(fact?.linkShare ?? 0.5)
    row.add(contexts[index + step]?.headingLevel ?? 0)
  }
  let words = 0
  let linkWords = 0
  let paragraphWords = 0
  const last = Math.min(index + 6, facts.length - 1)
  for (let near = Math.max(0, index - 6); near <= last; near++) {
    const fact = facts[near]
    if (fact === undefined || near === index) continue
    words += fact.words
    linkWords += fact.words * fact.linkShare
    if (fact.isParagraph) paragraphWords += fact.words
  }
  row.add(log(words))
  row.add(linkWords / Math.max(1, words))
  row.add(paragraphWords / Math.max(1, words))
}

/** Distances of the neighbours with features of their own. */
const neighbourSteps = [-2, -1, 1, 2]
