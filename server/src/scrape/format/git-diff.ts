import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChangeTracking } from 'bowline/contract/document'
import { isBowlineError } from 'bowline/kit/errors'
import { compareLines, runsOf, type DiffRun, type LineDiff } from './line-diff.ts'

type Diff = NonNullable<ChangeTracking['diff']>
type Chunk = Diff['json']['files'][number]['chunks'][number]
type Change = Chunk['changes'][number]

/** Number of unchanged lines around a change. */
const context = 3

/** Maximum number of lines of both texts. Longer texts are not compared. */
const maxLines = 1_000_000

/** A diff, with a warning if it is coarser than that of `git diff`, or empty. */
export type GitDiff = Diff & { readonly warning?: string }

/** Compares the lines of two texts. Rejects with SCRAPE_SITE_ERROR if it takes too much. */
export type CompareTexts = (before: string, after: string) => Promise<LineDiff>

/**
 * Maximum number of lines of both texts that are compared at once. Longer ones take up to a second,
 * and are left to `compareLongTexts`.
 */
const maxShortLines = 500

/** Lines after which other work gets a turn. */
const linesPerTurn = 5000

/**
 * Compares two texts like `git diff`. Resolves to the diff as text and as data, with a warning if
 * `compareLongTexts` rejects with SCRAPE_SITE_ERROR. Rejects with its other errors.
 */
export async function gitDiff(before: string, after: string, compareLongTexts: CompareTexts): Promise<GitDiff> {
  const lineCount = countLines(before) + countLines(after)
  if (lineCount > maxLines) return { text: '', json: { files: [] }, warning: tooLong }
  const isShort = lineCount <= maxShortLines
  const diff = isShort ? compareTexts(before, after) : await compareLongTexts(before, after).catch(messageIfTooMuch)
  if (typeof diff === 'string') return { text: '', json: { files: [] }, warning: `${diff}: the diff is empty.` }
  const groups = group(runsOf(diff, toLines(before), toLines(after)))
  const chunks: Chunk[] = []
  for (const pieces of groups) if (pieces.some(({ kind }) => kind !== 'same')) chunks.push(await toChunk(pieces))
  const lines = chunks.flatMap(({ content, changes }) => [content, ...changes.map((change) => change.content)])
  return {
    text: lines.length === 0 ? '' : `--- previous\n+++ current\n${lines.join('\n')}\n`,
    json: { files: chunks.length === 0 ? [] : [{ from: 'previous', to: 'current', chunks }] },
    ...(diff.isCoarse && { warning: coarse }),
  }
}

/** Compares the lines of two texts in this process. */
export function compareTexts(before: string, after: string): LineDiff {
  return compareLines(toLines(before), toLines(after))
}

/** Returns the message of SCRAPE_SITE_ERROR. Throws other errors. */
function messageIfTooMuch(error: unknown): string {
  if (isBowlineError(error) && error.code === 'SCRAPE_SITE_ERROR') return error.message
  throw error
}

const coarse = 'The texts differ in too many lines: parts of the diff replace whole blocks, unchanged lines included.'

const tooLong = `The texts have more than ${maxLines.toLocaleString('en')} lines: the diff is empty.`

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

async function toChunk(pieces: readonly Piece[]): Promise<Chunk> {
  const changes: Change[] = []
  for (const piece of pieces) {
    for (const [index, line] of piece.lines.entries()) {
      changes.push(toChange(piece, line, index))
      if (changes.length % linesPerTurn === 0) await nextTurn()
    }
  }
  const count = (left: 'add' | 'del'): number => changes.filter(({ type }) => type !== left).length
  const [first] = pieces
  return { content: `@@ -${first?.before ?? 0},${count('add')} +${first?.after ?? 0},${count('del')} @@`, changes }
}

function toChange({ kind, before, after }: Piece, line: string, index: number): Change {
  if (kind === 'del') return { type: 'del', del: true, ln: before + index, content: `-${line}` }
  if (kind === 'add') return { type: 'add', add: true, ln: after + index, content: `+${line}` }
  return { type: 'normal', normal: true, ln1: before + index, ln2: after + index, content: ` ${line}` }
}
