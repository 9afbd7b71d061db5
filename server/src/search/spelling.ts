/** Shorter words are not corrected: too many words are similar to them. */
const minLetters = 4

/** Words of this many letters may have two mistakes. */
const lettersForTwo = 8

/** Maximum similar words that are searched for instead of a misspelt one. */
const maxSuggestions = 3

/** Returns the number of mistakes that a word may have. 0: it is not corrected. */
export function allowedMistakes(word: string): number {
  if (word.length < minLetters || !/^[\p{L}\p{M}]+$/u.test(word)) return 0
  return word.length < lettersForTwo ? 1 : 2
}

/** Letters at the start or end of a word that one mistake elsewhere leaves as they are. */
export function sharedLetters(word: string): number {
  return Math.max(1, Math.min(4, Math.floor((word.length - 1) / 2)))
}

/** Returns the words that a misspelt word, given in all its forms, was probably meant as. */
export function suggestWords(
  forms: readonly string[],
  known: readonly { readonly word: string; readonly pages: number }[],
): readonly string[] {
  const rated = known.flatMap(({ word, pages }) => {
    const mistakes = Math.min(...forms.map((form) => countMistakes(form, word, allowedMistakes(form))))
    return Number.isFinite(mistakes) ? [{ word, pages, mistakes }] : []
  })
  const least = Math.min(...rated.map(({ mistakes }) => mistakes))
  return rated
    .filter(({ mistakes }) => mistakes === least)
    .toSorted((left, right) => right.pages - left.pages)
    .slice(0, maxSuggestions)
    .map(({ word }) => word)
}

/**
 * Returns how many letters are missing, added, wrong or swapped with their neighbour. Infinity if
 * there are more than `most`.
 */
export function countMistakes(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return Infinity
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1]
      let least = Math.min(
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
      )
      const isSwapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      if (isSwapped) least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1)
      current.push(least)
    }
    if (Math.min(...current) > most) return Infinity
    beforeLast = last
    last = current
  }
  const mistakes = last[right.length] ?? Infinity
  return mistakes > most ? Infinity : mistakes
}
