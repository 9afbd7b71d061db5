import type { Document, Element } from 'domhandler'
import { readLeaf, type LeafFacts } from './leaf-facts.ts'
import { readPageFacts, type PageFacts } from './page-facts.ts'
import { addToSums, areaNames, findGroups, placeOf, type Group, type Place, type Sums } from './place.ts'
import type { Leaf } from './segment.ts'
import { markNames } from './lexicon.ts'

/** A page laid out: every text with its facts and its place, and what the whole page is like. */
export interface Layout {
  readonly leaves: readonly Leaf[]
  readonly facts: readonly LeafFacts[]
  readonly places: readonly Place[]
  readonly page: PageFacts
  readonly total: Sums
  readonly firstHeading: number
  readonly biggestGroup: Group | undefined
  readonly firstSeen: ReadonlyMap<string, number>
  readonly repeats: ReadonlyMap<string, number>
  readonly top: Place | undefined
  readonly prices: number
  readonly articles: number
}

/** Lays out the texts of a page. */
export const layOut = (document: Document, leaves: readonly Leaf[], url = ''): Layout => {
  const byElement = new Map<Element, Place>()
  const facts = leaves.map(readLeaf)
  const places = leaves.map((leaf) => placeOf(leaf.parent, byElement))
  const page = readPageFacts(document, url)
  const firstSeen = new Map<string, number>()
  const repeats = new Map<string, number>()
  const total: Sums = { words: 0, linkWords: 0, sentences: 0, leaves: 0, paragraphWords: 0, boilerplate: 0, order: 0 }
  for (const [index, leaf] of leaves.entries()) {
    const fact = facts[index]
    const place = places[index]
    if (fact === undefined || place === undefined) continue
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
    addToSums(place, sums)
    total.words += sums.words
    total.linkWords += sums.linkWords
    total.sentences += sums.sentences
    total.paragraphWords += sums.paragraphWords
    total.boilerplate += sums.boilerplate
    total.leaves++
  }
  const groups = findGroups(byElement)
  return {
    leaves,
    facts,
    places,
    page,
    total,
    firstHeading: findHeading(leaves, facts, page),
    biggestGroup: groups.reduce<Group | undefined>((big, each) => (each.sums.words > (big?.sums.words ?? 0) ? each : big), undefined),
    firstSeen,
    repeats,
    top: findTop(places, facts),
    prices: facts.filter((fact) => fact.hasPrice).length,
    articles: [...byElement.keys()].filter((element) => element.name === 'article').length,
  }
}

const overlap = (words: readonly string[], known: ReadonlySet<string>): number =>
  words.length === 0 ? 0 : words.filter((word) => known.has(word)).length / words.length

/** The heading that says most of the title; the first h1, or the first text, for want of one. */
const findHeading = (leaves: readonly Leaf[], facts: readonly LeafFacts[], page: PageFacts): number => {
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

/** Level of the heading an element is in, at most three steps up; 0 = none. */
export const headingLevel = (element: Element): number => {
  let up: Element | null = element
  for (let step = 0; step < 4 && up !== null; step++) {
    const match = /^h([1-6])$/.exec(up.name)
    if (match !== null) return Number(match[1])
    const parent: Element['parent'] = up.parent
    up = parent !== null && 'name' in parent ? (parent as Element) : null
  }
  return 0
}

/** The place that most prose stands in directly: each text gives points to its ancestors, fewer with every step. */
const findTop = (places: readonly Place[], facts: readonly LeafFacts[]): Place | undefined => {
  const scores = new Map<Place, number>()
  let best: Place | undefined
  for (const [index, place] of places.entries()) {
    const fact = facts[index]
    if (fact === undefined || fact.words < 6) continue
    const points = fact.words * (1 - fact.linkShare) * (fact.sentences > 0 ? 1 : 0.3)
    let up = place.parent
    for (let step = 1; step <= 4 && up !== undefined; step++, up = up.parent) {
      const score = (scores.get(up) ?? 0) + points / step
      scores.set(up, score)
      if (best === undefined || score > (scores.get(best) ?? 0)) best = up
    }
  }
  return best
}

const log = (value: number): number => Math.log1p(Math.max(0, value))
const flag = (is: boolean): number => (is ? 1 : 0)

const tagKinds = ['p', 'li', 'td', 'th', 'a', 'span', 'div', 'dt', 'dd', 'label', 'button', 'figcaption', 'time', 'summary'] as const

/** Names of the numbers in a row of features, in order. */
export const featureNames: readonly string[] = [
  'words', 'linkShare', 'sentences', 'endsLikeSentence', 'marksPerWord', 'digitShare', 'capitalizedShare', 'upperCaseShare',
  'shortWordShare', 'lettersPerWord', 'boilerplateShare', 'hasPrice', 'hasCopyright', 'hasDate', 'heading', 'isPre',
  ...tagKinds.map((kind) => `tag:${kind}`),
  ...areaNames.map((name) => `in:${name}`),
  ...markNames.map((name) => `mark:${name}`),
  'hidden', 'depth', 'wordPosition', 'leafPosition', 'afterHeading', 'wordsFromHeading', 'titleOverlap', 'descriptionOverlap',
  'seenBefore', 'repeats',
  ...[-2, -1, 1, 2].flatMap((step) => [`words${step}`, `linkShare${step}`, `heading${step}`]),
  'windowWords', 'windowLinkShare', 'windowParagraphShare',
  ...[0, 1, 2, 3, 5].flatMap((step) => ['words', 'linkShare', 'perSentence', 'wordsPerLeaf', 'share', 'boilerplate'].map((name) => `up${step}:${name}`)),
  'alikeCount', 'alikeWords', 'alikeWordsEach', 'alikeLinkShare', 'alikeShare', 'alikeStart', 'alikeSpan',
  'headingSteps', 'headingLevelAbove', 'headingIsAside', 'headingIsReview', 'headingTitleOverlap', 'headingWords', 'headingInLink',
  'groupSize', 'groupWordsEach', 'groupLinkShare', 'groupShare', 'groupSteps', 'groupIsBiggest', 'groupLeavesEach',
  'cardSize', 'cardWordsEach', 'cardLinkShare', 'cardShare', 'cardSteps', 'cardLeavesEach', 'cardSentences', 'cardStart',
  'inTop', 'stepsToTop', 'topShare', 'topLinkShare', 'afterTopStart',
  'pageWords', 'pageLinkShare', 'pageParagraphShare', 'pageHasMain', 'pageArticles', 'pageIsArticle', 'pageIsProduct',
  'pageIsDiscussion', 'pageIsCollection', 'pageIsWebsite', 'pageGroupShare', 'pageGroupWordsEach', 'pageGroupSize', 'pagePrices', 'pageHasHeading',
]

/** One row of features for every text of the page. */
export const featureRows = (layout: Layout): readonly Float32Array[] => {
  const wordsBefore = runningWords(layout.facts)
  const pageRow = pageFeatures(layout)
  const alike = findAlike(layout)
  const headings = headingsAbove(layout)
  return layout.leaves.map((_, index) => {
    const row = [
      ...ownFeatures(layout, index),
      ...positionFeatures(layout, index, wordsBefore),
      ...neighbourFeatures(layout, index),
      ...ancestorFeatures(layout, index),
      ...alikeFeatures(layout, index, alike),
      ...headingFeatures(layout, index, headings),
      ...groupFeatures(layout, index),
      ...cardFeatures(layout, index),
      ...topFeatures(layout, index),
      ...pageRow,
    ]
    return Float32Array.from(row)
  })
}

const runningWords = (facts: readonly LeafFacts[]): Float64Array => {
  const running = new Float64Array(facts.length + 1)
  for (const [index, fact] of facts.entries()) running[index + 1] = (running[index] ?? 0) + fact.words
  return running
}

const ownFeatures = (layout: Layout, index: number): number[] => {
  const fact = layout.facts[index]
  const place = layout.places[index]
  if (fact === undefined || place === undefined) return []
  const row = [
    log(fact.words), fact.linkShare, log(fact.sentences), flag(fact.endsLikeSentence), fact.marksPerWord, fact.digitShare,
    fact.capitalizedShare, fact.upperCaseShare, fact.shortWordShare, fact.lettersPerWord, fact.boilerplate / fact.words,
    flag(fact.hasPrice), flag(fact.hasCopyright), flag(fact.hasDate), headingLevel(place.element), flag(place.element.name === 'pre'),
  ]
  for (const kind of tagKinds) row.push(flag(place.element.name === kind || place.parent?.element.name === kind))
  for (let bit = 0; bit < areaNames.length; bit++) row.push((place.areas >> bit) & 1)
  for (const steps of place.markSteps) row.push(Math.min(steps, 12))
  return row
}

const positionFeatures = (layout: Layout, index: number, wordsBefore: Float64Array): number[] => {
  const fact = layout.facts[index]
  const place = layout.places[index]
  const leaf = layout.leaves[index]
  if (fact === undefined || place === undefined || leaf === undefined) return []
  const before = wordsBefore[index] ?? 0
  const fromHeading = layout.firstHeading < 0 ? 0 : before - (wordsBefore[layout.firstHeading] ?? 0)
  return [
    flag(place.isHidden), place.depth, before / Math.max(1, layout.total.words), index / layout.leaves.length,
    layout.firstHeading < 0 ? 0 : Math.sign(index - layout.firstHeading), Math.sign(fromHeading) * log(Math.abs(fromHeading)),
    overlap(fact.distinctWords, layout.page.titleWords), overlap(fact.distinctWords, layout.page.descriptionWords),
    flag((layout.firstSeen.get(leaf.text) ?? index) < index), log(layout.repeats.get(leaf.text) ?? 1),
  ]
}

const neighbourFeatures = (layout: Layout, index: number): number[] => {
  const row: number[] = []
  for (const step of [-2, -1, 1, 2]) {
    const fact = layout.facts[index + step]
    const place = layout.places[index + step]
    row.push(log(fact?.words ?? 0), fact?.linkShare ?? 0.5, place === undefined ? 0 : headingLevel(place.element))
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

const ancestorFeatures = (layout: Layout, index: number): number[] => {
  const row: number[] = []
  let place = layout.places[index]
  for (let step = 0; step <= 5; step++) {
    if (step !== 4 && place !== undefined) {
      const { sums } = place
      row.push(
        log(sums.words), sums.linkWords / Math.max(1, sums.words), log(sums.words / (sums.sentences + 1)),
        log(sums.words / Math.max(1, sums.leaves)), sums.words / Math.max(1, layout.total.words), sums.boilerplate / Math.max(1, sums.words),
      )
    }
    place = place?.parent ?? place
  }
  return row
}

/** Texts of a page in the same kind of place, such as all titles of its cards. */
interface Alike {
  readonly first: number
  last: number
  count: number
  words: number
  linkWords: number
}

/** The names and classes of an element and its two nearest ancestors. */
export const lookOf = (place: Place): string => {
  let look = ''
  let up: Place | undefined = place
  for (let step = 0; step < 3 && up !== undefined; step++, up = up.parent) {
    look += `>${up.element.name}.${(up.element.attribs['class'] ?? '').replace(/\d+/g, '')}`
  }
  return look
}

const findAlike = (layout: Layout): readonly Alike[] => {
  const byLook = new Map<string, Alike>()
  return layout.places.map((place, index) => {
    const look = lookOf(place)
    const alike = byLook.get(look) ?? { first: index, last: index, count: 0, words: 0, linkWords: 0 }
    byLook.set(look, alike)
    const fact = layout.facts[index]
    alike.last = index
    alike.count++
    alike.words += fact?.words ?? 0
    alike.linkWords += (fact?.words ?? 0) * (fact?.linkShare ?? 0)
    return alike
  })
}

const alikeFeatures = (layout: Layout, index: number, all: readonly Alike[]): number[] => {
  const alike = all[index]
  if (alike === undefined) return []
  const leaves = layout.leaves.length
  return [
    log(alike.count), log(alike.words), log(alike.words / alike.count), alike.linkWords / Math.max(1, alike.words),
    alike.words / Math.max(1, layout.total.words), alike.first / leaves, (alike.last - alike.first) / leaves,
  ]
}

/** For every text, the index of the last heading at or before it; -1 = none. */
const headingsAbove = (layout: Layout): readonly number[] => {
  let last = -1
  return layout.places.map((place, index) => {
    const isHeading = headingLevel(place.element) > 0 || /(^|[-_ ])(heading|title)($|[-_ ])/i.test(place.element.attribs['class'] ?? '')
    if (isHeading) last = index
    return last
  })
}

const asideHeading = /related|recommend|similar|also (like|bought|view)|you may|you might|more (from|in|on|like|stories|articles|posts)|popular|trending|latest|recent|newsletter|subscribe|sign up|share|follow|categor|archive|tags|navigation|menu|about us|contact|connect|quick links|resources|company|support|keep reading|read next|up next|filter|sort|cart|cookie|privacy|download|footer|customers? also|frequently bought|sponsored/i
const reviewHeading = /review|comment|repl|response|rating|questions|answers|testimonial/i

const headingFeatures = (layout: Layout, index: number, above: readonly number[]): number[] => {
  const at = above[index] ?? -1
  const leaf = layout.leaves[at]
  const fact = layout.facts[at]
  const place = layout.places[at]
  if (leaf === undefined || fact === undefined || place === undefined) return [99, 0, 0, 0, 0, 0, 0]
  return [
    Math.min(99, index - at), headingLevel(place.element), flag(asideHeading.test(leaf.text)), flag(reviewHeading.test(leaf.text)),
    overlap(fact.distinctWords, layout.page.titleWords), log(fact.words), fact.linkShare,
  ]
}

const groupFeatures = (layout: Layout, index: number): number[] => {
  let steps = 0
  for (let place = layout.places[index]; place !== undefined; place = place.parent, steps++) {
    const { group } = place
    if (group === undefined) continue
    const { sums } = group
    return [
      log(group.size), log(sums.words / group.size), sums.linkWords / Math.max(1, sums.words),
      sums.words / Math.max(1, layout.total.words), steps, flag(group === layout.biggestGroup), log(sums.leaves / group.size),
    ]
  }
  return [0, 0, 0, 0, 30, 0, 0]
}

/** The group with the most words among the ancestors whose members hold several texts each: the page's cards or posts. */
const cardFeatures = (layout: Layout, index: number): number[] => {
  let best: Group | undefined
  let bestSteps = 30
  let bestStart = 0
  let steps = 0
  for (let place = layout.places[index]; place !== undefined; place = place.parent, steps++) {
    const { group } = place
    if (group === undefined || group.sums.leaves < 1.5 * group.size || group.sums.words <= (best?.sums.words ?? 0)) continue
    best = group
    bestSteps = steps
    bestStart = place.parent?.sums.order ?? 0
  }
  if (best === undefined) return [0, 0, 0, 0, 30, 0, 0, 0]
  const { sums, size } = best
  return [
    log(size), log(sums.words / size), sums.linkWords / Math.max(1, sums.words), sums.words / Math.max(1, layout.total.words),
    bestSteps, log(sums.leaves / size), log(sums.sentences / size), bestStart / layout.leaves.length,
  ]
}

const topFeatures = (layout: Layout, index: number): number[] => {
  const { top, total } = layout
  if (top === undefined) return [0, 30, 0, 0, 0]
  const above = new Set<Place>()
  for (let up: Place | undefined = top; up !== undefined; up = up.parent) above.add(up)
  let steps = 0
  let isIn = false
  for (let place = layout.places[index]; place !== undefined; place = place.parent) {
    if (place === top) isIn = true
    if (above.has(place)) {
      steps = top.depth - place.depth
      break
    }
  }
  return [
    flag(isIn), steps, top.sums.words / Math.max(1, total.words), top.sums.linkWords / Math.max(1, top.sums.words),
    flag(index >= top.sums.order) + flag(index >= top.sums.order + top.sums.leaves),
  ]
}

const pageFeatures = (layout: Layout): number[] => {
  const { page, total, biggestGroup } = layout
  const words = Math.max(1, total.words)
  return [
    log(total.words), total.linkWords / words, total.paragraphWords / words,
    flag(layout.places.some((place) => (place.areas & (1 << areaNames.indexOf('main'))) !== 0)), log(layout.articles),
    flag(page.isArticle), flag(page.isProduct), flag(page.isDiscussion), flag(page.isCollection), flag(page.isWebsite),
    (biggestGroup?.sums.words ?? 0) / words, log((biggestGroup?.sums.words ?? 0) / (biggestGroup?.size ?? 1)), log(biggestGroup?.size ?? 0),
    log(layout.prices), flag(layout.firstHeading >= 0),
  ]
}
