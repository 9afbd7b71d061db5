import type { Leaf } from './segment.ts'
import { countBoilerplate } from './lexicon.ts'

/** Counts of a single text. */
export interface LeafFacts {
  /** Number of words. A Chinese, Japanese or Korean character counts half. At least 1. */
  readonly words: number
  readonly linkShare: number
  readonly sentences: number
  readonly endsLikeSentence: boolean
  readonly marksPerWord: number
  readonly digitShare: number
  readonly capitalizedShare: number
  readonly upperCaseShare: number
  readonly shortWordShare: number
  readonly lettersPerWord: number
  readonly boilerplate: number
  readonly hasPrice: boolean
  readonly hasCopyright: boolean
  readonly hasDate: boolean
  readonly distinctWords: readonly string[]
}

const price = /[$€£¥₹]\s?\d|\d\s?(?:[$€£¥₹]|USD|EUR|GBP|zł|kr)\b/
const copyright = /©|\(c\)\s*\d{4}|all rights reserved/i
const date =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{4}-\d{2}-\d{2}\b|\b\d+ (?:minute|hour|day|week|month|year)s? ago\b/i

// Faster tests that spare most texts the Unicode properties.
const ascii = /^[ -~]*$/
const mayBeEastAsian = /[\u1100-\uffff]/

/** Counts words, sentences and the like in one text. */
export function readLeaf(leaf: Leaf): LeafFacts {
  const { text } = leaf
  const words = text.match(ascii.test(text) ? /\w+/g : /[\p{L}\p{N}_]+/gu) ?? []
  const eastAsian = mayBeEastAsian.test(text)
    ? (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0)
    : 0
  let letters = 0
  let capitalized = 0
  let upperCase = 0
  let short = 0
  for (const word of words) {
    letters += word.length
    const first = word.charCodeAt(0)
    const isUpper = first >= 65 && first <= 90
    if (isUpper) capitalized++
    if (isUpper && word.length > 1 && word === word.toUpperCase()) upperCase++
    if (!isUpper && word.length <= 3 && (first < 48 || first > 57)) short++
  }
  const count = Math.max(1, words.length)
  const lower = words.map((word) => word.toLowerCase())
  return {
    words: count + eastAsian / 2,
    linkShare: text.length === 0 ? 0 : leaf.linkLength / text.length,
    sentences: text.match(/[.!?](?=\s|$)|[。！？]/g)?.length ?? 0,
    endsLikeSentence: /[.!?:…。！？"”]$/.test(text),
    marksPerWord: (text.match(/[.,;:!?]/g)?.length ?? 0) / count,
    digitShare: (text.match(/\d/g)?.length ?? 0) / text.length,
    capitalizedShare: capitalized / count,
    upperCaseShare: upperCase / count,
    shortWordShare: short / count,
    lettersPerWord: letters / count,
    boilerplate: countBoilerplate(lower),
    hasPrice: price.test(text),
    hasCopyright: copyright.test(text),
    hasDate: date.test(text),
    distinctWords: [...new Set(lower)],
  }
}
