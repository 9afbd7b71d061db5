import type { ChangeTracking } from 'bowline/contract/document'
import { diffLines, type DiffRun } from './line-diff.ts'

type Diff = NonNullable<ChangeTracking['diff']>
type Chunk = Diff['json']['files'][number]['chunks'][number]
type Change = Chunk['changes'][number]

/** Number of unchanged lines around a change. */
const context = 3

/** Maximum number of lines of both texts. Longer texts are not compared. */
const maxLines = 1_000_000

/** A diff, with a warning if it is coarser than that of `git diff`, or empty. */
export type GitDiff = Diff & { readonly warning?: string }

/** Compares two texts like `git diff`. Returns the diff as text and as data. */
export function gitDiff(before: string, after: string): GitDiff {
  if (countLines(before) + countLines(after) > maxLines) return { text: '', json: { files: [] }, warning: tooLong }
  const warnings = new Set<string>()
  const onCoarse = (): void => void warnings.add(coarse)
  const groups = group(diffLines(toLines(before), toLines(after), onCoarse))
  const chunks = groups.filter((pieces) => pieces.some(({ kind }) => kind !== 'same')).map(toChunk)
  const lines = chunks.flatMap(({ content, changes }) => [content, ...changes.map((change) => change.content)])
  return {
    text: lines.length === 0 ? '' : `--- previous\n+++ current\n${lines.join('\n')}\n`,
    json: { files: chunks.length === 0 ? [] : [{ from: 'previous', to: 'current', chunks }] },
    ...(warnings.size > 0 && { warning: coarse }),
  }
}

const coarse = 'The texts differ in too many lines: parts of the diff replace whole blocks, unchanged lines included.'

// Formatting `maxLines` would load the data of a locale at every start, which takes 20 ms.
const tooLong = 'The texts have more than 1,000,000 lines: the diff is empty.'

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

function toLines(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n')
}

/** A run of lines, and the number of its first line on each side, from 1. */
interface Piece extends DiffRun {
  readonly before: number
  readonly after: number
}

/** Groups runs into chunks, and drops unchanged lines between chunks. */
function group(runs: readonly DiffRun[]): readonly (readonly Piece[])[] {
  const groups: Piece[][] = [[]]
  let [before, after] = [1, 1]
  for (const [index, run] of runs.entries()) {
    const { kind, lines } = run
    const piece = { ...run, before, after }
    const shownBefore = index === 0 ? 0 : context
    const shownAfter = index === runs.length - 1 ? 0 : context
    if (kind !== 'same' || lines.length <= shownBefore + shownAfter) groups.at(-1)?.push(piece)
    else {
      groups.at(-1)?.push(cut(piece, 0, shownBefore))
      groups.push([cut(piece, lines.length - shownAfter, lines.length)])
    }
    if (kind !== 'add') before += lines.length
    if (kind !== 'del') after += lines.length
  }
  return groups
}

function cut({ kind, lines, before, after }: Piece, start: number, end: number): Piece {
  return {
    kind,
    lines: lines.slice(start, end),
    before: before + start,
    after: after + start,
  }
}

function toChunk(pieces: readonly Piece[]): Chunk {
  const changes = pieces.flatMap((piece) => piece.lines.map((line, index) => toChange(piece, line, index)))
  const count = (left: 'add' | 'del'): number => changes.filter(({ type }) => type !== left).length
  const [first] = pieces
  return { content: `@@ -${first?.before ?? 0},${count('add')} +${first?.after ?? 0},${count('del')} @@`, changes }
}

function toChange({ kind, before, after }: Piece, line: string, index: number): Change {
  if (kind === 'del') return { type: 'del', del: true, ln: before + index, content: `-${line}` }
  if (kind === 'add') return { type: 'add', add: true, ln: after + index, content: `+${line}` }
  return { type: 'normal', normal: true, ln1: before + index, ln2: after + index, content: ` ${line}` }
}
