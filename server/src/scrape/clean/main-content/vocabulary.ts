import { isBoilerplate } from './lexicon.ts'
import type { PageFacts } from './page-facts.ts'

/** Counts over the words of one text. */
export interface WordCounts {
  readonly letters: number
  readonly capitalized: number
  readonly upperCase: number
  readonly short: number
  readonly boilerplate: number
  /** Number of different words, regardless of case. */
  readonly distinct: number
  /** How many of these are words of the title, the description, and so on. */
  readonly inTitle: number
  readonly inDescription: number
  readonly inStructured: number
  readonly inReviews: number
}

/** Facts of a word in one spelling. */
interface Spelling {
  readonly letters: number
  readonly isCapitalized: boolean
  readonly isUpperCase: boolean
  readonly isShort: boolean
  readonly word: Word
}

/** Facts of a word regardless of case. */
interface Word {
  readonly isBoilerplate: boolean
  readonly isInTitle: boolean
  readonly isInDescription: boolean
  readonly isInStructured: boolean
  readonly isInReviews: boolean
  /** Number of the last text with this word, to count it once per text. */
  lastText: number
}

/** The words of a page. Each is classified once, since most occur in many texts. */
export class Vocabulary {
  readonly #page: PageFacts
  readonly #spellings = new Map<string, Spelling>()
  readonly #words = new Map<string, Word>()
  #texts = 0

  constructor(page: PageFacts) {
    this.#page = page
  }

  /** Counts the words of a text. */
  count(words: readonly string[]): WordCounts {
    const text = ++this.#texts
    const counts = {
      letters: 0,
      capitalized: 0,
      upperCase: 0,
      short: 0,
      boilerplate: 0,
      distinct: 0,
      inTitle: 0,
      inDescription: 0,
      inStructured: 0,
      inReviews: 0,
    }
    for (const each of words) {
      const spelling = this.#spellings.get(each) ?? this.#addSpelling(each)
      const { word } = spelling
      counts.letters += spelling.letters
      if (spelling.isCapitalized) counts.capitalized++
      if (spelling.isUpperCase) counts.upperCase++
      if (spelling.isShort) counts.short++
      if (word.isBoilerplate) counts.boilerplate++
      if (word.lastText === text) continue
      word.lastText = text
      counts.distinct++
      if (word.isInTitle) counts.inTitle++
      if (word.isInDescription) counts.inDescription++
      if (word.isInStructured) counts.inStructured++
      if (word.isInReviews) counts.inReviews++
    }
    return counts
  }

  #addSpelling(text: string): Spelling {
    const first = text.charCodeAt(0)
    const isCapitalized = first >= 65 && first <= 90
    const isDigit = first >= 48 && first <= 57
    const lower = text.toLowerCase()
    const spelling = {
      letters: text.length,
      isCapitalized,
      isUpperCase: isCapitalized && text.length > 1 && text === text.toUpperCase(),
      isShort: !isCapitalized && text.length <= 3 && !isDigit,
      word: this.#words.get(lower) ?? this.#addWord(lower),
    }
    this.#spellings.set(text, spelling)
    return spelling
  }

  #addWord(lower: string): Word {
    const { titleWords, descriptionWords, structuredWords, reviewWords } = this.#page
    const word = {
      isBoilerplate: isBoilerplate(lower),
      isInTitle: titleWords.has(lower),
      isInDescription: descriptionWords.has(lower),
      isInStructured: structuredWords.has(lower),
      isInReviews: reviewWords.has(lower),
      lastText: 0,
    }
    this.#words.set(lower, word)
    return word
  }
}
