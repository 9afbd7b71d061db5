import { setImmediate as othersTurn } from 'node:timers/promises'
import type { Abortable } from 'bowline/kit/abort'
import { decodePercent } from '../kit/decode-percent.ts'
import { wordsOf } from '../kit/words-of.ts'
import type { FoundLink } from './link-collection.ts'

/** What a word counts where it stands. */
const weights = { path: 3, title: 3, text: 2, host: 1, description: 1 } as const

/** Milliseconds of work after which others get their turn. */
const turnMs = 10

/**
 * Puts the links that have to do with a query first, best first: by its words in address, title, link text and description,
 * rare words counting more than those on every page. Leaves none out; equals keep their order. Throws the signal's reason.
 */
export async function orderByRelevance(
  links: readonly FoundLink[],
  query: string,
  { signal }: Abortable = {},
): Promise<readonly FoundLink[]> {
  const wanted = [...new Set(wordsOf(query))].slice(0, 32)
  if (wanted.length === 0) return links
  const closeness = createCloseness(wanted)
  const rows: Row[] = []
  let turnEndsMs = performance.now() + turnMs
  for (const link of links) {
    rows.push({ link, ...scoresOf(link, closeness) })
    if (performance.now() < turnEndsMs) continue
    await othersTurn(undefined, { signal })
    turnEndsMs = performance.now() + turnMs
  }
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

interface Row {
  readonly link: FoundLink
  /** One for each word that is wanted. */
  readonly scores: readonly number[]
  readonly pathWords: number
}

function scoresOf(link: FoundLink, closeness: Closeness): Pick<Row, 'scores' | 'pathWords'> {
  const url = URL.parse(link.url)
  const path = wordsOf(decodePercent(`${url?.pathname ?? ''}${url?.search ?? ''}`))
  const fields: readonly (readonly [number, readonly string[]])[] = [
    [weights.path, path],
    [weights.host, wordsOf(url?.hostname ?? '')],
    [weights.title, wordsOf(link.title ?? '')],
    [weights.text, wordsOf(link.text ?? '')],
    [weights.description, wordsOf(link.description ?? '')],
  ]
  const found = fields.map(([weight, words]) => closeness(words).map((each) => weight * each))
  return { scores: (found[0] ?? []).map((_, index) => sumOf(found, index)), pathWords: path.length }
}

function sumOf(rows: readonly (readonly number[])[], index: number): number {
  return rows.reduce((sum, row) => sum + (row[index] ?? 0), 0)
}

/** For each wanted word, 1 when it is among the words, 0.6 when another form of it is. */
type Closeness = (words: readonly string[]) => readonly number[]

/** Letters that forms of a word share, at least. */
const stemLength = 3

function createCloseness(wanted: readonly string[]): Closeness {
  // What does not even begin alike is not compared.
  const byStem = Map.groupBy(wanted.entries(), ([, word]) => word.slice(0, stemLength))
  return (words) => {
    const closest = wanted.map(() => 0)
    for (const word of words) {
      for (const [index, other] of byStem.get(word.slice(0, stemLength)) ?? []) {
        const isForm = Math.min(word.length, other.length) >= stemLength && areForms(word, other)
        closest[index] = Math.max(closest[index] ?? 0, word === other ? 1 : isForm ? 0.6 : 0)
      }
    }
    return closest
  }
}

function areForms(word: string, other: string): boolean {
  return other.startsWith(word) || word.startsWith(other) || (word[3] === other[3] && stemOf(word) === stemOf(other))
}

const inflections = ['ings', 'ing', 'ed', 'es', 'e', 's'] as const

/** Drops a common English inflection, so that "prices" and "pricing" match. */
function stemOf(word: string): string {
  const ending = inflections.find((each) => word.length - each.length > stemLength && word.endsWith(each))
  return ending === undefined ? word : word.slice(0, -ending.length)
}
