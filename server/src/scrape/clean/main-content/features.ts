import { ancestorFeatures, ancestorsOf, cardFeatures, groupFeatures, topFeatures } from './ancestor-features.ts'
import { similarFeatures, findSimilar, headingFeatures, headingsAbove } from './context-features.ts'
import type { Layout } from './layout.ts'
import type { LeafFacts } from './leaf-facts.ts'
import { markNames } from './lexicon.ts'
import { flag, log } from './numbers.ts'
import { outlineFeatures, outlineNames, readOutline } from './outline-features.ts'
import { areaNames } from './element-context.ts'
import { neighbourFeatures, ownFeatures, positionFeatures, tagKinds } from './text-features.ts'

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
  const headings = headingsAbove(layout)
  const outline = readOutline(layout)
  const aboveTop = ancestorsOf(layout.top)
  return layout.leaves.map((_, index) => {
    const row = new Float32Array(featureNames.length)
    let at = 0
    const add = (values: readonly number[]): void => {
      for (let from = 0; from < values.length; from++) row[at++] = values[from] ?? 0
    }
    add(ownFeatures(layout, index))
    add(positionFeatures(layout, index, wordsBefore))
    add(neighbourFeatures(layout, index))
    add(ancestorFeatures(layout, index))
    add(similarFeatures(layout, index, similar))
    add(headingFeatures(layout, index, headings))
    add(groupFeatures(layout, index))
    add(cardFeatures(layout, index))
    add(topFeatures(layout, index, aboveTop))
    add(pageRow)
    add(outlineFeatures(layout, index, outline))
    return row
  })
}

function runningWords(facts: readonly LeafFacts[]): Float64Array {
  const running = new Float64Array(facts.length + 1)
  for (const [index, fact] of facts.entries()) running[index + 1] = (running[index] ?? 0) + fact.words
  return running
}

function pageFeatures(layout: Layout): number[] {
  const { page, total, biggestGroup } = layout
  const words = Math.max(1, total.words)
  return [
    log(total.words),
    total.linkWords / words,
    total.paragraphWords / words,
    flag(layout.contexts.some((context) => (context.areas & (1 << areaNames.indexOf('main'))) !== 0)),
    log(layout.articles),
    flag(page.isArticle),
    flag(page.isProduct),
    flag(page.isDiscussion),
    flag(page.isCollection),
    flag(page.isWebsite),
    (biggestGroup?.sums.words ?? 0) / words,
    log((biggestGroup?.sums.words ?? 0) / (biggestGroup?.size ?? 1)),
    log(biggestGroup?.size ?? 0),
    log(layout.prices),
    flag(layout.firstHeading >= 0),
  ]
}
