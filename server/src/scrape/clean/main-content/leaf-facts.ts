import type { Leaf } from './segment.ts'
import { log } from './numbers.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Counts of a single text. */
export interface LeafFacts {
  /** Number of words. A Chinese, Japanese or Korean character counts half. At least 1. */
  readonly words: number
  readonly logWords: number
  readonly linkShare: number
  readonly sentences: number
  readonly endsLikeSentence: boolean
  /** Whether it has sentences, and few links. */
  readonly isParagraph: boolean
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
  /** Number of different words, regardless of case. */
  readonly distinctWords: number
  /** Shares of these that are words of the title, the description, and so on. */
  readonly titleOverlap: number
  readonly descriptionOverlap: number
  readonly structuredOverlap: number
  readonly reviewOverlap: number
}

const price = /[$€£¥₹]\s?\d|\d\s?(?:[$€£¥₹]|USD|EUR|GBP|zł|kr)\b/
const copyright = /©|\(c\)\s*\d{4}|all rights reserved/i
const date =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{4}-\d{2}-\d{2}\b|\b\d+ (?:minute|hour|day|week|month|year)s? ago\b/i

// Faster tests that spare most texts the Unicode properties.
const ascii = /^[ -~]*$/
const mayBeEastAsian = /[\u1100-\uffff]/

/** Counts words, sentences and the like in one text. */
export function readLeaf(leaf: Leaf, vocabulary: Vocabulary): LeafFacts {
  const { text } = leaf
  const words = text.match(ascii.test(text) ? /\w+/g : /[\p{L}\p{N}_]+/gu) ?? []
  const eastAsian = mayBeEastAsian.test(text)
    ? (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0)
    : 0
  const counts = vocabulary.count(words)
  const count = Math.max(1, words.length)
  const distinct = Math.max(1, counts.distinct)
  const { sentences, marks, digits } = countCharacters(text)
  const size = count + eastAsian / 2
  const linkShare = text.length === 0 ? 0 : leaf.linkLength / text.length
  return {
    words: size,
    logWords: log(size),
    linkShare,
    sentences,
    isParagraph: sentences > 0 && linkShare < 0.4 && size >= 8,
    endsLikeSentence: sentenceEnds.has(text.at(-1) ?? ''),
    marksPerWord: marks / count,
    digitShare: digits / text.length,
    capitalizedShare: counts.capitalized / count,
    upperCaseShare: counts.upperCase / count,
    shortWordShare: counts.short / count,
    lettersPerWord: counts.letters / count,
    boilerplate: counts.boilerplate,
    hasPrice: digits > 0 && price.test(text),
    hasCopyright: copyright.test(text),
    hasDate: digits > 0 && date.test(text),
    distinctWords: counts.distinct,
    titleOverlap: counts.inTitle / distinct,
    descriptionOverlap: counts.inDescription / distinct,
    structuredOverlap: counts.inStructured / distinct,
    reviewOverlap: counts.inReviews / distinct,
  }
}

const sentenceEnds = new Set('.!?:…。！？"”')
const isMark = tableOf('.,;:!?')
const endsSentence = tableOf('.!?')
const eastAsianEnds = '。！？'
const space = 32

/** Returns a table of the ASCII characters, with 1 for those in `characters`. */
function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(128)
  for (let at = 0; at < characters.length; at++) table[characters.charCodeAt(at)] = 1
  return table
}

/** Counts ends of sentences, punctuation marks and digits in one pass. */
function countCharacters(text: string): { sentences: number; marks: number; digits: number } {
  let sentences = 0
  let marks = 0
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) digits++
    else if (code >= 128) {
      if (eastAsianEnds.includes(text.charAt(at))) sentences++
    } else if (isMark[code] === 1) {
      marks++
      // White space is collapsed, so that a space is the only one.
      if (endsSentence[code] === 1 && (at + 1 === text.length || text.charCodeAt(at + 1) === space)) sentences++
    }
  }
  return { sentences, marks, digits }
}
