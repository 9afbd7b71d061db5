import { wordsOf } from '../kit/words-of.ts'
import { domainsOf, pairsOf, wordsOfUrl } from './words.ts'

/** What a page of the index can be found by beside the words of its text. Each has a space in it, as no word has. */
export const keyOf = {
  team: (id: string): string => `team ${id}`,
  domain: (domain: string): string => `domain ${domain}`,
  titleWord: (word: string): string => `title ${word}`,
  urlWord: (word: string): string => `url ${word}`,
  pair: (letters: string): string => `pair ${letters}`,
  pdf: 'type pdf',
} as const

/** A word longer than this is no word; the database takes none above 2 kB. */
const maxLetters = 100
const maxWords = 200
const maxPairs = 4000

/** Every key of a page. */
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
      keyOf.team(page.teamId),
      ...domainsOf(page.url).map(keyOf.domain),
      ...some(wordsOf(page.title)).map(keyOf.titleWord),
      ...some(wordsOfUrl(page.url)).map(keyOf.urlWord),
      ...pairsOf(`${page.title}\n${page.text}`).slice(0, maxPairs).map(keyOf.pair),
      ...(page.isPdf ? [keyOf.pdf] : []),
    ]),
  ]
}
