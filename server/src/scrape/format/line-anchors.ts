/**
 * Returns positions of lines that occur once in each text: the longest chain in the same order.
 * Lines are numbers.
 */
export function findAnchors(left: Int32Array, right: Int32Array): readonly (readonly [number, number])[] {
  return longestChain(uniquePairs(left, right))
}

interface Pair {
  readonly left: number
  readonly right: number
}

/** Returns the lines that occur once in each text, in the order of the first. */
function uniquePairs(left: Int32Array, right: Int32Array): readonly Pair[] {
  const positions = uniquePositions(right)
  const leftPositions = uniquePositions(left)
  const pairs: Pair[] = []
  left.forEach((line, index) => {
    const position = positions[line] ?? none
    if (leftPositions[line] === index && position >= 0) pairs.push({ left: index, right: position })
  })
  return pairs
}

const none = -1
const several = -2

/** Returns the position of each line that occurs once, by its number. */
function uniquePositions(lines: Int32Array): Int32Array {
  const positions = new Int32Array(lines.reduce((most, line) => Math.max(most, line), 0) + 1).fill(none)
  lines.forEach((line, index) => {
    positions[line] = positions[line] === none ? index : several
  })
  return positions
}

/** Returns the longest increasing subsequence by position in the second text. */
function longestChain(pairs: readonly Pair[]): readonly (readonly [number, number])[] {
  const previous = new Int32Array(pairs.length)
  const piles: number[] = []
  for (const [index, { right }] of pairs.entries()) {
    let low = 0
    let high = piles.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[piles[middle] ?? 0]?.right ?? 0) < right) low = middle + 1
      else high = middle
    }
    previous[index] = piles[low - 1] ?? none
    piles[low] = index
  }
  const chain: (readonly [number, number])[] = []
  for (let index = piles.at(-1) ?? none; index !== none; index = previous[index] ?? none) {
    const { left, right } = pairs[index] ?? { left: 0, right: 0 }
    chain.push([left, right])
  }
  return chain.toReversed()
}
