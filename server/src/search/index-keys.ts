import { wordsOf } from '../kit/words-of.ts'
import { domainsOf, wordsOfUrl } from './words.ts'

/**
 * Index keys of a page in addition to the words of its text. Each contains a space, so it cannot
 * equal a word.
 */
export const indexKey = {
  team: (id: string): string => `team ${id}`,
  domain: (domain: string): string => `domain ${domain}`,
  titleWord: (word: string): string => `title ${word}`,
  urlWord: (word: string): string => `url ${word}`,
  pair: (letters: string): string => `pair ${letters}`,
  pdf: 'type pdf',
} as const

/** Words under which facts about all pages of a team are counted. */
export const statisticKey = {
  pages: 'all pages',
  /** Characters of all pages. */
  length: 'all length',
  language: (configuration: string): string => `language ${configuration}`,
} as const

/** The text of a lexeme, or the letters of a pair. */
export function textOfLexeme(lexeme: string): string {
  return lexeme.startsWith('pair ') ? lexeme.slice('pair '.length) : lexeme
}

/** Longer words are not indexed. The database accepts words of up to 2 kB. */
const maxLetters = 100
const maxWords = 200

/** All index keys of a page, except pairs of letters. */
export function keysOf(page: {
  readonly teamId: string
  readonly url: string
  readonly title: string
  /** Text search configuration. */
  readonly configuration: string
  readonly isPdf: boolean
}): readonly string[] {
  const some = (words: readonly string[]): readonly string[] =>
    words.filter((word) => word.length <= maxLetters).slice(0, maxWords)
  return [
    ...new Set([
      indexKey.team(page.teamId),
      ...domainsOf(page.url).map(indexKey.domain),
      ...some(wordsOf(page.title)).map(indexKey.titleWord),
      ...some(wordsOfUrl(page.url)).map(indexKey.urlWord),
      statisticKey.language(page.configuration),
      ...(page.isPdf ? [indexKey.pdf] : []),
    ]),
  ]
}
