/** Pairs of places of lines that occur once in each text, in an order that both have: the longest such chain. Lines are numbers. */
export function anchorsOf(left: Int32Array, right: Int32Array): readonly (readonly [number, number])[] {
  return longestChain(pairsOf(left, right))
}

interface Pair {
  readonly left: number
  readonly right: number
}

/** The lines that occur once in each text, in the order of the first. */
function pairsOf(left: Int32Array, right: Int32Array): readonly Pair[] {
  const places = onlyOnce(right)
  const own = onlyOnce(left)
  const pairs: Pair[] = []
  left.forEach((line, index) => {
    const place = places[line] ?? none
    if (own[line] === index && place >= 0) pairs.push({ left: index, right: place })
  })
  return pairs
}

const none = -1
const several = -2

/** The place of each line that occurs once, by its number. */
function onlyOnce(lines: Int32Array): Int32Array {
  const places = new Int32Array(lines.reduce((most, line) => Math.max(most, line), 0) + 1).fill(none)
  lines.forEach((line, index) => {
    places[line] = places[line] === none ? index : several
  })
  return places
}

/** The longest of those whose places in the second text grow, too. */
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
