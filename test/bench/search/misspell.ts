import { sha256 } from '../../../src/kit/sha256.ts'

/** Shorter words stay as they are: one changed letter makes another word of them. */
const minLetters = 5

/**
 * Misspells the longest word of a query the way people do: two letters are swapped, or one is
 * missing, doubled or replaced. The same query is always misspelt the same way.
 */
export function misspell(query: string): string {
  const words = query.split(' ')
  const length = Math.max(...words.map((word) => word.length))
  const position = words.findIndex((word) => word.length === length && word.length >= minLetters)
  const word = words[position]
  if (word === undefined) return query
  const [kind = 0, offset = 0, letter = 0] = sha256(query)
  // The first letter is rarely wrong.
  const at = 1 + (offset % (word.length - 2))
  const edits = [
    () => `${word.slice(0, at)}${word.charAt(at + 1)}${word.charAt(at)}${word.slice(at + 2)}`,
    () => word.slice(0, at) + word.slice(at + 1),
    () => word.slice(0, at) + word.charAt(at) + word.slice(at),
    () => word.slice(0, at) + String.fromCodePoint(97 + (letter % 26)) + word.slice(at + 1),
  ]
  return words.with(position, edits[kind % edits.length]?.() ?? word).join(' ')
}
