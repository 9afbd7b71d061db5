import type { Layout } from './features.ts'
import { markNames } from './lexicon.ts'
import { areaNames } from './place.ts'

const log = (value: number): number => Math.log1p(Math.max(0, value))
const flag = (is: boolean): number => (is ? 1 : 0)

const pathPatterns: Readonly<Record<string, RegExp>> = {
  product: /\/(?:products?|p|dp|itm|item|pd|sku|shop\/p|gp)\/|-p-?\d+|\/app\/\d+/,
  collection: /\/(?:collections?|categor(?:y|ies)|c|cat|shop|store|brands?|sub-?categor\w*|product-category|browse|b)\/|\/(?:collections?|shop|sale)$/,
  discussion: /forum|thread|topic|discussion|\/t\/|questions?\/|\/q\/|community|viewtopic|showthread|boards?\/|\/r\/|comments\//,
  article: /\/(?:blog|news|article|articles|post|posts|story|stories|press|magazine|insights|recipes?)\/|\/20\d\d\/\d\d?/,
  documentation: /\/(?:docs?|documentation|reference|manual|guide|guides|tutorials?|wiki|api|help|learn|userguide|handbook|book)\/|^\/?docs|readthedocs/,
  service: /\/(?:services?|solutions?|about|pricing|platform|features|company|programs?|consulting|support)\b/,
  listing: /\/(?:tags?|topics?|jobs?|search|listings?|events?|rankings?|charts?|best|top|directory|archive|authors?|page)\b/,
}

/** Names of the numbers in a row of page features, in order. */
export const pageFeatureNames: readonly string[] = [
  'words', 'leaves', 'wordsPerLeaf', 'linkShare', 'paragraphShare', 'sentencesPerWord', 'boilerplateShare',
  ...markNames.map((name) => `marks:${name}`),
  ...areaNames.map((name) => `area:${name}`),
  'isArticle', 'isProduct', 'isDiscussion', 'isCollection', 'isWebsite', 'articles', 'prices', 'dates', 'headings', 'cartWords',
  'bigGroupShare', 'bigGroupSize', 'bigGroupWordsEach', 'bigGroupLinkShare', 'topShare', 'topLinkShare', 'capitals',
  ...Object.keys(pathPatterns).map((name) => `path:${name}`),
  'pathDepth', 'pathIsRoot', 'pathHyphens', 'pathHasNumber',
]

/** One row of numbers for the whole page, from which its type can be told. */
export const pageFeatureRow = (layout: Layout): Float32Array => {
  const { total, page, biggestGroup: big, top } = layout
  const words = Math.max(1, total.words)
  const marks = markNames.map(() => 0)
  const areas = areaNames.map(() => 0)
  let capitals = 0
  let dates = 0
  let cartWords = 0
  for (const [index, place] of layout.places.entries()) {
    const fact = layout.facts[index]
    if (fact === undefined) continue
    const share = fact.words / words
    for (const [bit, steps] of place.markSteps.entries()) if (steps < 6) marks[bit] = (marks[bit] ?? 0) + share
    for (let bit = 0; bit < areas.length; bit++) if ((place.areas >> bit) & 1) areas[bit] = (areas[bit] ?? 0) + share
    capitals += fact.capitalizedShare * share
    if (fact.hasDate) dates++
    if (/\b(add to (?:cart|bag|basket)|in stock|buy now)\b/i.test(layout.leaves[index]?.text ?? '')) cartWords++
  }
  const path = page.path
  return Float32Array.from([
    log(total.words), log(total.leaves), log(words / Math.max(1, total.leaves)), total.linkWords / words, total.paragraphWords / words,
    total.sentences / words, total.boilerplate / words, ...marks, ...areas,
    flag(page.isArticle), flag(page.isProduct), flag(page.isDiscussion), flag(page.isCollection), flag(page.isWebsite), log(layout.articles),
    log(layout.prices), log(dates), flag(layout.firstHeading >= 0), log(cartWords),
    (big?.sums.words ?? 0) / words, log(big?.size ?? 0), log((big?.sums.words ?? 0) / (big?.size ?? 1)), (big?.sums.linkWords ?? 0) / Math.max(1, big?.sums.words ?? 0),
    (top?.sums.words ?? 0) / words, (top?.sums.linkWords ?? 0) / Math.max(1, top?.sums.words ?? 0), capitals,
    ...Object.values(pathPatterns).map((pattern) => flag(pattern.test(path))),
    path.split('/').filter(Boolean).length, flag(path.replace(/\/+$/, '') === ''), (path.match(/-/g) ?? []).length, flag(/\d{4,}/.test(path)),
  ])
}
