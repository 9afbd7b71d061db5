/** Patterns up to this length are found with `indexOf`, which is quadratic in it at worst. */
const shortLength = 64

/** Finds a pattern in linear time (Knuth, Morris and Pratt), also if it repeats itself. */
export class LinearSearch {
  readonly #pattern: string
  readonly #borders: Uint32Array

  constructor(pattern: string) {
    this.#pattern = pattern
    this.#borders = bordersOf(pattern)
  }

  /** Returns the position of the pattern at or after `from`, or -1. */
  indexIn(text: string, from = 0): number {
    const pattern = this.#pattern
    if (pattern.length <= shortLength) return text.indexOf(pattern, from)
    for (let at = from, length = 0; at < text.length; at++) {
      while (length > 0 && text[at] !== pattern[length]) length = this.#borders[length - 1] ?? 0
      if (text[at] === pattern[length]) length += 1
      if (length === pattern.length) return at - length + 1
    }
    return -1
  }
}

/** Returns the length of the longest end of `before` with which `after` begins, in linear time. */
export function overlapOf(before: string, after: string): number {
  const limit = Math.min(before.length, after.length)
  const end = before.slice(before.length - limit)
  const start = after.slice(0, limit)
  const borders = bordersOf(start)
  let length = 0
  for (let at = 0; at < limit; at++) {
    while (length > 0 && end[at] !== start[length]) length = borders[length - 1] ?? 0
    if (end[at] === start[length]) length += 1
  }
  return length
}

/** For each position, the longest proper end of the part up to it with which the text begins. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  for (let at = 1, length = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] ?? 0
    if (text[at] === text[length]) length += 1
    borders[at] = length
  }
  return borders
}
