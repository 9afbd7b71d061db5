import { percentDecoded } from '../../kit/percent-decoded.ts'
import { wordsOf } from '../../kit/words-of.ts'
import type { FoundLink } from './link-collection.ts'

/** What a word counts where it stands. */
const weights = { path: 3, title: 3, text: 2, host: 1, description: 1 } as const

/**
 * Puts the links that have to do with a query first, best first: by its words in address, title, link text and description,
 * rare words counting more than those on every page. Leaves none out; equals keep their order.
 */
export const orderByRelevance = (links: readonly FoundLink[], query: string): readonly FoundLink[] => {
  const wanted = [...new Set(wordsOf(query))].slice(0, 32)
  if (wanted.length === 0) return links
  const rows = links.map((link) => ({ link, ...scoresOf(link, wanted) }))
  const rarity = wanted.map((_, index) => {
    const hits = rows.reduce((sum, row) => sum + ((row.scores[index] ?? 0) > 0 ? 1 : 0), 0)
    return Math.log(1 + links.length / (1 + hits))
  })
  const ranked = rows.map(({ link, scores, pathWords }) => {
    const sum = scores.reduce((total, score, index) => total + score * (rarity[index] ?? 0), 0)
    const found = scores.filter((score) => score > 0).length
    // Of two pages with the same words, the one that says little else is about them.
    return { link, score: (sum * (found / wanted.length)) / (1 + pathWords / 20) }
  })
  return ranked.toSorted((a, b) => b.score - a.score).map(({ link }) => link)
}

const scoresOf = (
  link: FoundLink,
  wanted: readonly string[],
): { readonly scores: readonly number[]; readonly pathWords: number } => {
  const url = URL.parse(link.url)
  const path = wordsOf(percentDecoded(`${url?.pathname ?? ''}${url?.search ?? ''}`))
  const fields: readonly (readonly [number, readonly string[]])[] = [
    [weights.path, path],
    [weights.host, wordsOf(url?.hostname ?? '')],
    [weights.title, wordsOf(link.title ?? '')],
    [weights.text, wordsOf(link.text ?? '')],
    [weights.description, wordsOf(link.description ?? '')],
  ]
  const score = (word: string): number =>
    fields.reduce((sum, [weight, words]) => sum + weight * closeness(word, words), 0)
  return { scores: wanted.map(score), pathWords: path.length }
}

/** 1 when the word is there, 0.6 when a longer form of either is. */
const closeness = (word: string, words: readonly string[]): number => {
  if (words.includes(word)) return 1
  const isNear = (other: string): boolean =>
    Math.min(word.length, other.length) >= 3 && (other.startsWith(word) || word.startsWith(other))
  return words.some(isNear) ? 0.6 : 0
}
