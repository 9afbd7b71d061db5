import { diffArrays } from 'diff'

/** A run of lines that are the same on both sides, or only on one. */
export interface DiffRun {
  readonly kind: 'same' | 'del' | 'add'
  readonly lines: readonly string[]
}

/** Edits that a stretch without anchors may need before it is told as a whole: the library's time grows with their square. */
const maxEdits = 1000

/** Compares texts line by line, in bounded time: lines that occur once on both sides are anchors (patience), the rest goes to Myers. */
export const diffLines = (before: readonly string[], after: readonly string[]): readonly DiffRun[] => {
  const runs: DiffRun[] = []
  const push = (kind: DiffRun['kind'], lines: readonly string[]): void => {
    if (lines.length > 0) runs.push({ kind, lines })
  }
  let from = 0
  let to = 0
  for (const [left, right] of [...anchors(before, after), [before.length, after.length] as const]) {
    for (const run of diffStretch(before.slice(from, left), after.slice(to, right))) push(run.kind, run.lines)
    if (left < before.length) push('same', before.slice(left, left + 1))
    from = left + 1
    to = right + 1
  }
  return merge(runs)
}

const diffStretch = (before: readonly string[], after: readonly string[]): readonly DiffRun[] => {
  if (before.length === 0 || after.length === 0) {
    return [
      { kind: 'del', lines: before },
      { kind: 'add', lines: after },
    ]
  }
  const changes = diffArrays([...before], [...after], { maxEditLength: maxEdits })
  if (changes === undefined) {
    return [
      { kind: 'del', lines: before },
      { kind: 'add', lines: after },
    ]
  }
  return changes.map(({ added, removed, value }) => ({ kind: added ? 'add' : removed ? 'del' : 'same', lines: value }))
}

/** Pairs of lines that occur once in each text, in an order that both texts have: the longest such chain. */
const anchors = (before: readonly string[], after: readonly string[]): readonly (readonly [number, number])[] => {
  const places = onlyOnce(after)
  const pairs: { left: number; right: number; previous: number }[] = []
  for (const [line, left] of onlyOnce(before)) {
    const right = places.get(line)
    if (right !== undefined) pairs.push({ left, right, previous: -1 })
  }
  pairs.sort((one, other) => one.left - other.left)
  const piles: number[] = []
  for (const [index, pair] of pairs.entries()) {
    let low = 0
    let high = piles.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[piles[middle] ?? 0]?.right ?? 0) < pair.right) low = middle + 1
      else high = middle
    }
    pair.previous = low > 0 ? (piles[low - 1] ?? -1) : -1
    piles[low] = index
  }
  const chain: (readonly [number, number])[] = []
  for (let pair = pairs[piles.at(-1) ?? -1]; pair !== undefined; pair = pairs[pair.previous]) {
    chain.push([pair.left, pair.right])
  }
  return chain.toReversed()
}

const onlyOnce = (lines: readonly string[]): ReadonlyMap<string, number> => {
  const places = new Map<string, number>()
  for (const [index, line] of lines.entries()) places.set(line, places.has(line) ? -1 : index)
  return new Map([...places].filter(([, place]) => place !== -1))
}

const merge = (runs: readonly DiffRun[]): readonly DiffRun[] => {
  const merged: { kind: DiffRun['kind']; lines: string[] }[] = []
  for (const { kind, lines } of runs) {
    const last = merged.at(-1)
    if (last?.kind === kind) for (const line of lines) last.lines.push(line)
    else merged.push({ kind, lines: [...lines] })
  }
  return merged
}
