import { diffArrays } from 'diff'
import { findAnchors } from './line-anchors.ts'

/** A run of lines that are the same on both sides, or only on one. */
export interface DiffRun {
  readonly kind: 'same' | 'del' | 'add'
  readonly lines: readonly string[]
}

/**
 * Maximum number of edits between two anchors. Beyond it, the whole section is replaced. Time is
 * quadratic in it.
 */
const maxEdits = 1000

/** Maximum sum of squared edits of all sections. Later sections are replaced as a whole. */
const maxEffort = 4_000_000

/**
 * Maximum number of lines to compare, on both sides, without common start and end. Longer texts are
 * replaced.
 */
const maxLines = 400_000

const kinds = ['same', 'del', 'add'] as const

/** A comparison as it is sent between processes: small, whatever the lines are. */
export interface LineDiff {
  /** For each run, the index of its kind and the number of its lines. */
  readonly runs: Int32Array
  /** Whether a part that would take too long is reported as deleted and added as a whole. */
  readonly isCoarse: boolean
}

/**
 * Compares texts line by line, in bounded time. Lines that occur once on both sides are anchors
 * (patience diff), and sections between them are compared with the Myers algorithm.
 */
export function compareLines(before: readonly string[], after: readonly string[]): LineDiff {
  const { start, end } = sameEnds(before, after)
  const runs: number[] = []
  let isCoarse = false
  const onCoarse = (): void => void (isCoarse = true)
  const onRun: OnRun = (kind, count) => {
    const index = kinds.indexOf(kind)
    if (runs.at(-2) === index) runs.push((runs.pop() ?? 0) + count)
    else if (count > 0) runs.push(index, count)
  }
  onRun('same', start)
  const [oldLines, newLines] = [before.length - start - end, after.length - start - end]
  if (oldLines + newLines <= maxLines) {
    const [left, right] = numbered(before.slice(start, start + oldLines), after.slice(start, start + newLines))
    compare(left, right, { onRun, onCoarse })
  } else {
    onCoarse()
    onRun('del', oldLines)
    onRun('add', newLines)
  }
  onRun('same', end)
  return { runs: Int32Array.from(runs), isCoarse }
}

/** Returns the runs of a comparison with their lines. */
export function runsOf({ runs }: LineDiff, before: readonly string[], after: readonly string[]): readonly DiffRun[] {
  const all: DiffRun[] = []
  let [from, to] = [0, 0]
  for (let index = 0; index < runs.length; index += 2) {
    const kind = kinds[runs[index] ?? 0] ?? 'same'
    const count = runs[index + 1] ?? 0
    all.push({ kind, lines: kind === 'add' ? after.slice(to, to + count) : before.slice(from, from + count) })
    if (kind !== 'add') from += count
    if (kind !== 'del') to += count
  }
  return all
}

/** Counts the common lines at the start and at the end. */
function sameEnds(before: readonly string[], after: readonly string[]): { start: number; end: number } {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  return { start, end }
}

/** Maps lines to numbers, equal ones to the same, for faster comparison. */
function numbered(before: readonly string[], after: readonly string[]): readonly [Int32Array, Int32Array] {
  const numbers = new Map<string, number>()
  const numberOf = (line: string): number => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  }
  return [Int32Array.from(before, numberOf), Int32Array.from(after, numberOf)]
}

type OnRun = (kind: DiffRun['kind'], count: number) => void

interface DiffContext {
  readonly onRun: OnRun
  readonly onCoarse: () => void
}

function compare(left: Int32Array, right: Int32Array, context: DiffContext): void {
  let [from, to, effort] = [0, 0, maxEffort]
  for (const [leftEnd, rightEnd] of [...findAnchors(left, right), [left.length, right.length] as const]) {
    effort -= compareSection(left.subarray(from, leftEnd), right.subarray(to, rightEnd), { ...context, effort })
    if (leftEnd < left.length) context.onRun('same', 1)
    from = leftEnd + 1
    to = rightEnd + 1
  }
}

/** Compares the lines between two anchors. Returns the squared number of edits. */
function compareSection(
  left: Int32Array,
  right: Int32Array,
  { effort, onRun, onCoarse }: DiffContext & { readonly effort: number },
): number {
  const maxEditLength = Math.min(maxEdits, Math.floor(Math.sqrt(effort)))
  const isOneSided = left.length === 0 || right.length === 0
  const changes = isOneSided ? undefined : diffArrays(Array.from(left), Array.from(right), { maxEditLength })
  if (changes === undefined) {
    if (!isOneSided) onCoarse()
    onRun('del', left.length)
    onRun('add', right.length)
    return isOneSided ? 0 : maxEditLength ** 2
  }
  let edits = 0
  for (const { added, removed, count } of changes) {
    onRun(added ? 'add' : removed ? 'del' : 'same', count)
    if (added || removed) edits += count
  }
  return edits ** 2
}
