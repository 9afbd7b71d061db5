import {
  addAncestorFeatures,
  addCardFeatures,
  addGroupFeatures,
  addTopFeatures,
  readElementFacts,
} from './ancestor-features.ts'
import { addHeadingFeatures, addSimilarFeatures, findSimilar, headingRows, headingsAbove } from './context-features.ts'
import { areaNames, tagKinds } from './element-context.ts'
import { FeatureRow } from './feature-row.ts'
import type { Layout } from './layout.ts'
import type { LeafFacts } from './leaf-facts.ts'
import { markNames } from './lexicon.ts'
import { log } from './numbers.ts'
import { addOutlineFeatures, outlineNames, readOutline } from './outline-features.ts'
import { addNeighbourFeatures, addOwnFeatures, addPositionFeatures } from './text-features.ts'

/** Names of the features in a row, in order. */
export const featureNames: readonly string[] = [
  'words',
  'linkShare',
  'sentences',
  'endsLikeSentence',
  'marksPerWord',
  'digitShare',
  'capitalizedShare',
  'upperCaseShare',
  'shortWordShare',
  'lettersPerWord',
  'boilerplateShare',
  'hasPrice',
  'hasCopyright',
  'hasDate',
  'heading',
  'isPre',
  ...tagKinds.map((kind) => `tag:${kind}`),
  ...areaNames.map((name) => `in:${name}`),
  ...markNames.map((name) => `mark:${name}`),
  'hidden',
  'depth',
  'wordPosition',
  'leafPosition',
  'afterHeading',
  'wordsFromHeading',
  'titleOverlap',
  'descriptionOverlap',
  'structuredOverlap',
  'reviewOverlap',
  'longestWord',
  'seenBefore',
  'repeats',
  ...[-2, -1, 1, 2].flatMap((step) => [`words${step}`, `linkShare${step}`, `heading${step}`]),
  'windowWords',
  'windowLinkShare',
  'windowParagraphShare',
  ...[0, 1, 2, 3, 5].flatMap((step) =>
    ['words', 'linkShare', 'perSentence', 'wordsPerLeaf', 'share', 'boilerplate'].map((name) => `up${step}:${name}`),
  ),
  'alikeCount',
  'alikeWords',
  'alikeWordsEach',
  'alikeLinkShare',
  'alikeShare',
  'alikeStart',
  'alikeSpan',
  'headingSteps',
  'headingLevelAbove',
  'headingIsAside',
  'headingIsReview',
  'headingTitleOverlap',
  'headingWords',
  'headingInLink',
  'groupSize',
  'groupWordsEach',
  'groupLinkShare',
  'groupShare',
  'groupSteps',
  'groupIsBiggest',
  'groupLeavesEach',
  'cardSize',
  'cardWordsEach',
  'cardLinkShare',
  'cardShare',
  'cardSteps',
  'cardLeavesEach',
  'cardSentences',
  'cardStart',
  'inTop',
  'stepsToTop',
  'topShare',
  'topLinkShare',
  'afterTopStart',
  'pageWords',
  'pageLinkShare',
  'pageParagraphShare',
  'pageHasMain',
  'pageArticles',
  'pageIsArticle',
  'pageIsProduct',
  'pageIsDiscussion',
  'pageIsCollection',
  'pageIsWebsite',
  'pageGroupShare',
  'pageGroupWordsEach',
  'pageGroupSize',
  'pagePrices',
  'pageHasHeading',
  ...outlineNames,
]

/** Returns one row of features per text of the page. */
export function featureRows(layout: Layout): readonly Float32Array[] {
  const wordsBefore = runningWords(layout.facts)
  const pageRow = pageFeatures(layout)
  const similar = findSimilar(layout)
  const above = headingsAbove(layout)
  const headings = headingRows(layout, above)
  const outline = readOutline(layout)
  const elementFacts = readElementFacts(layout)
  return layout.contexts.map((context, index) => {
    const row = new FeatureRow(featureNames.length)
    const fact = layout.facts[index]
    const around = elementFacts[context.index]
    const alike = similar[index]
    const heading = above[index] ?? -1
    if (fact === undefined || around === undefined || alike === undefined) return row.values
    addOwnFeatures(row, fact, context)
    addPositionFeatures(row, layout, index, wordsBefore)
    addNeighbourFeatures(row, layout, index)
    addAncestorFeatures(row, context, elementFacts)
    addSimilarFeatures(row, layout, alike)
    addHeadingFeatures(row, index, heading, headings.get(heading))
    addGroupFeatures(row, layout, context, around)
    addCardFeatures(row, layout, context, around)
    addTopFeatures(row, layout, index, around)
    row.addAll(pageRow)
    addOutlineFeatures(row, layout, index, outline)
    return row.values
  })
}

function runningWords(facts: readonly LeafFacts[]): Float64Array {
  const running = new Float64Array(facts.length + 1)
  for (const [index, fact] of facts.entries()) running[index + 1] = (running[index] ?? 0) + fact.words
  return running
}

function pageFeatures(layout: Layout): readonly number[] {
  const { page, total, biggestGroup } = layout
  const words = Math.max(1, total.words)
  const mainArea = 1 << areaNames.indexOf('main')
  return [
    log(total.words),
    total.linkWords / words,
    total.paragraphWords / words,
    Number(layout.contexts.some((context) => (context.areas & mainArea) !== 0)),
    log(layout.articles),
    Number(page.isArticle),
    Number(page.isProduct),
    Number(page.isDiscussion),
    Number(page.isCollection),
    Number(page.isWebsite),
    (biggestGroup?.sums.words ?? 0) / words,
    log((biggestGroup?.sums.words ?? 0) / (biggestGroup?.size ?? 1)),
    log(biggestGroup?.size ?? 0),
    log(layout.prices),
    Number(layout.firstHeading >= 0),
  ]
}
