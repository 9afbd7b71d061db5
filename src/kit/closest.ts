/**
 * Returns the candidate that `word` most likely misspells, ignoring case, or else the only one that
 * has all its words, such as `maxDiscoveryDepth` for `maxDepth`. Returns `undefined` if there is
 * none.
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    // Skip by length first: comparing a very long word with each candidate is slow.
    .filter((candidate) => Math.abs(candidate.length - word.length) <= maxDistance(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= maxDistance(candidate))
  return (
    near.toSorted((left, right) => left.distance - right.distance)[0]?.candidate ?? onlyWithWordsOf(word, candidates)
  )
}

function onlyWithWordsOf(word: string, candidates: readonly string[]): string | undefined {
  const words = wordsOf(word)
  if (words.length < 2 || words.length > maxWords) return undefined
  const [only, ...others] = candidates.filter((candidate) => {
    const ofCandidate = new Set(wordsOf(candidate))
    return words.every((each) => ofCandidate.has(each))
  })
  return others.length === 0 ? only : undefined
}

const maxWords = 5

/** Splits a name such as `maxDepth` or `max-depth` into lower-case words. */
function wordsOf(name: string): readonly string[] {
  return name
    .split(/(?=[A-Z])|[-_]/)
    .filter((each) => each !== '')
    .map((each) => each.toLowerCase())
}

/** Maximum edit distance at which a candidate is close. */
function maxDistance(candidate: string): number {
  return Math.max(1, Math.floor(candidate.length / 3))
}

/** Counts insertions, deletions, replacements and swaps of neighbouring letters. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= from.length; row += 1) {
    const cells = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const cell = (up: number, left: number): number =>
        (up === 0 ? cells : rows[row - up])?.[column - left] ?? Infinity
      cells.push(
        Math.min(cell(1, 0) + 1, cell(0, 1) + 1, cell(1, 1) + (isSame ? 0 : 1), isSwapped ? cell(2, 2) + 1 : Infinity),
      )
    }
    rows.push(cells)
  }
  return rows[from.length]?.[to.length] ?? Infinity
}
