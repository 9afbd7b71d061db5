import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Abortable } from 'bowline/kit/abort'
import { decodePercent } from '../kit/decode-percent.ts'
import { wordsOf } from '../kit/words-of.ts'
import type { FoundLink } from './link-collection.ts'

/** Weight of a matching word by where it occurs. */
const weights = { path: 3, title: 3, text: 2, host: 1, description: 1 } as const

/** Milliseconds of work after which other tasks get their turn. */
const turnMs = 10

/**
 * Orders links by relevance to a query: by its words in URL, title, link text and description, with
 * rare words weighing more. Drops no link and keeps the order of equals. Throws the signal's
 * reason.
 */
export async function orderByRelevance(
  links: readonly FoundLink[],
  query: string,
  { signal }: Abortable = {},
): Promise<readonly FoundLink[]> {
  const queryWords = [...new Set(wordsOf(query))].slice(0, 32)
  if (queryWords.length === 0) return links
  const similarity = createSimilarity(queryWords)
  const rows: Row[] = []
  let turnEndsMs = performance.now() + turnMs
  for (const link of links) {
    rows.push({ link, ...scoresOf(link, similarity) })
    if (performance.now() < turnEndsMs) continue
    await yieldToEventLoop(undefined, { signal })
    turnEndsMs = performance.now() + turnMs
  }
  const rarity = queryWords.map((_, index) => {
    const hits = rows.reduce((sum, row) => sum + ((row.scores[index] ?? 0) > 0 ? 1 : 0), 0)
    return Math.log(1 + links.length / (1 + hits))
  })
  const ranked = rows.map(({ link, scores, pathWords }) => {
    const sum = scores.reduce((total, score, index) => total + score * (rarity[index] ?? 0), 0)
    const found = scores.filter((score) => score > 0).length
    // Of two pages with the same words, the one with the shorter path is closer to the query.
    return { link, score: (sum * (found / queryWords.length)) / (1 + pathWords / 20) }
  })
  return ranked.toSorted((a, b) => b.score - a.score).map(({ link }) => link)
}

interface Row {
  readonly link: FoundLink
  /** One per query word. */
  readonly scores: readonly number[]
  readonly pathWords: number
}

function scoresOf(link: FoundLink, similarity: Similarity): Pick<Row, 'scores' | 'pathWords'> {
  const url = URL.parse(link.url)
  const path = wordsOf(decodePercent(`${url?.pathname ?? ''}${url?.search ?? ''}`))
  const fields: readonly (readonly [number, readonly string[]])[] = [
    [weights.path, path],
    [weights.host, wordsOf(url?.hostname ?? '')],
    [weights.title, wordsOf(link.title ?? '')],
    [weights.text, wordsOf(link.text ?? '')],
    [weights.description, wordsOf(link.description ?? '')],
  ]
  const found = fields.map(([weight, words]) => similarity(words).map((each) => weight * each))
  return { scores: (found[0] ?? []).map((_, index) => sumOf(found, index)), pathWords: path.length }
}

function sumOf(rows: readonly (readonly number[])[], index: number): number {
  return rows.reduce((sum, row) => sum + (row[index] ?? 0), 0)
}

/** For each query word: 1 if it is among the words, 0.6 if another form of it is. */
type Similarity = (words: readonly string[]) => readonly number[]

/** Minimum number of letters that forms of a word share. */
const stemLength = 3

function createSimilarity(queryWords: readonly string[]): Similarity {
  // Skip words with a different beginning.
  const byStem = Map.groupBy(queryWords.entries(), ([, word]) => word.slice(0, stemLength))
  return (words) => {
    const closest = queryWords.map(() => 0)
    for (const word of words) {
      for (const [index, other] of byStem.get(word.slice(0, stemLength)) ?? []) {
        const isForm = Math.min(word.length, other.length) >= stemLength && areWordForms(word, other)
        closest[index] = Math.max(closest[index] ?? 0, word === other ? 1 : isForm ? 0.6 : 0)
      }
    }
    return closest
  }
}

function areWordForms(word: string, other: string): boolean {
  return other.startsWith(word) || word.startsWith(other) || (word[3] === other[3] && stemOf(word) === stemOf(other))
}

const inflections = ['ings', 'ing', 'ed', 'es', 'e', 's'] as const

/** Drops a common English inflection, so that "prices" and "pricing" match. */
function stemOf(word: string): string {
  const ending = inflections.find((each) => word.length - each.length > stemLength && word.endsWith(each))
  return ending === undefined ? word : word.slice(0, -ending.length)
}
