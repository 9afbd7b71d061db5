/** The candidate that `word` is most likely a misspelling of, ignoring case. Undefined when none is near. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    // Words of callers may have a million letters, and to compare them takes time for each.
    .filter((candidate) => Math.abs(candidate.length - word.length) <= farthest(candidate))
    .map((candidate) => ({ candidate, distance: distanceOf(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= farthest(candidate))
  return near.toSorted((left, right) => left.distance - right.distance)[0]?.candidate
}

/** The longest distance at which a candidate is near. */
function farthest(candidate: string): number {
  return Math.max(1, Math.floor(candidate.length / 3))
}

/** How many letters must be inserted, deleted, replaced or swapped with the next one. */
function distanceOf(from: string, to: string): number {
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
