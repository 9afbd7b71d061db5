import type { ChangeTracking } from '../../../contract/document.ts'
import { diffLines } from './line-diff.ts'

type Diff = NonNullable<ChangeTracking['diff']>
type Chunk = Diff['json']['files'][number]['chunks'][number]
type Change = Chunk['changes'][number]

/** Unchanged lines that are shown around a change. */
const context = 3

/** Tells the difference of two texts as `git diff` would, as text and as data. */
export const gitDiff = (before: string, after: string): Diff => {
  const chunks = toChunks(numbered(before, after))
  const lines = chunks.flatMap(({ content, changes }) => [content, ...changes.map((change) => change.content)])
  return {
    text: lines.length === 0 ? '' : `--- previous\n+++ current\n${lines.join('\n')}\n`,
    json: { files: chunks.length === 0 ? [] : [{ from: 'previous', to: 'current', chunks }] },
  }
}

interface Line {
  readonly change: Change
  /** Number that the line has, or would have, on each side, from 1. */
  readonly before: number
  readonly after: number
}

const toLines = (text: string): readonly string[] => text.replace(/\n$/, '').split('\n')

const numbered = (before: string, after: string): readonly Line[] => {
  const lines: Line[] = []
  let left = 1
  let right = 1
  for (const { kind, lines: run } of diffLines(toLines(before), toLines(after))) {
    for (const line of run) {
      const change: Change =
        kind === 'same'
          ? { type: 'normal', normal: true, ln1: left, ln2: right, content: ` ${line}` }
          : kind === 'del'
            ? { type: 'del', del: true, ln: left, content: `-${line}` }
            : { type: 'add', add: true, ln: right, content: `+${line}` }
      lines.push({ change, before: left, after: right })
      if (kind !== 'add') left += 1
      if (kind !== 'del') right += 1
    }
  }
  return lines
}

const toChunks = (lines: readonly Line[]): readonly Chunk[] & Chunk[] => {
  const chunks: Chunk[] = []
  let start = -1
  let end = -1
  const close = (): void => {
    if (start !== -1) chunks.push(toChunk(lines.slice(start, end)))
  }
  for (const [index, { change }] of lines.entries()) {
    if (change.type === 'normal') continue
    if (start === -1 || index - context > end) {
      close()
      start = Math.max(0, index - context)
    }
    end = Math.min(lines.length, index + context + 1)
  }
  close()
  return chunks
}

const toChunk = (lines: readonly Line[]): Chunk => {
  const count = (left: 'add' | 'del'): number => lines.filter(({ change }) => change.type !== left).length
  const [first] = lines
  const content = `@@ -${first?.before ?? 0},${count('add')} +${first?.after ?? 0},${count('del')} @@`
  return { content, changes: lines.map(({ change }) => change) }
}
