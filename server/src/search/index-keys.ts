import { wordsOf } from '../kit/words-of.ts'
import { domainsOf, bigramsOf, wordsOfUrl } from './words.ts'

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

/** Longer words are not indexed. The database accepts words of up to 2 kB. */
const maxLetters = 100
const maxWords = 200
const maxPairs = 4000

/** All index keys of a page. */
export function keysOf(page: {
  readonly teamId: string
  readonly url: string
  readonly title: string
  readonly text: string
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
      ...bigramsOf(`${page.title}\n${page.text}`).slice(0, maxPairs).map(indexKey.pair),
      ...(page.isPdf ? [indexKey.pdf] : []),
    ]),
  ]
}
