import { indexKey } from './index-keys.ts'
import { quoteLexeme } from './ts-query.ts'
import { pairsOf } from './words.ts'

/** Maximum pairs of a page that are indexed. */
const maxPairs = 4000

/** Occurrences of a pair that are indexed. Further ones would hardly change its rank. */
const maxPositions = 8

/**
 * Vector of the pairs of letters of a page in scripts without spaces, in the text form of a
 * `tsvector`. Those of the title have its weight.
 */
export function pairVector({ title, body }: { readonly title: string; readonly body: string }): string {
  const positions = new Map<string, string[]>()
  const add = (pair: string, weight: string): void => {
    const known = positions.get(pair)
    if (known === undefined) {
      if (positions.size < maxPairs) positions.set(pair, [`1${weight}`])
    } else if (known.length < maxPositions) known.push(`${known.length + 1}${weight}`)
  }
  for (const pair of pairsOf(title)) add(pair, 'A')
  for (const pair of pairsOf(body)) add(pair, '')
  return [...positions].map(([pair, all]) => `${quoteLexeme(indexKey.pair(pair))}:${all.join(',')}`).join(' ')
}
