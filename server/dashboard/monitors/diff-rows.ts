/** A line on one side of a diff, split at the part that differs from the other side. */
export interface DiffLine {
  readonly number: number
  /** The common start, the difference and the common end. */
  readonly parts: readonly [before: string, different: string, after: string]
  readonly isChanged: boolean
}

/** Two lines side by side, or a gap between hunks. */
export type DiffRow =
  | { readonly kind: 'gap' }
  | { readonly kind: 'lines'; readonly left: DiffLine | undefined; readonly right: DiffLine | undefined }

interface NumberedLine {
  readonly number: number
  readonly text: string
}

/** Converts a unified diff to two columns, with removed lines next to their replacements. */
export function toDiffRows(diff: string): readonly DiffRow[] {
  const rows: DiffRow[] = []
  let [left, right] = [1, 1]
  let isInHunk = false
  let removed: NumberedLine[] = []
  let added: NumberedLine[] = []
  const flush = (): void => {
    rows.push(...pair(removed, added))
    removed = []
    added = []
  }
  for (const line of diff.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk !== null) {
      flush()
      if (isInHunk) rows.push({ kind: 'gap' })
      isInHunk = true
      left = Number(hunk[1])
      right = Number(hunk[2])
    } else if (isInHunk && line.startsWith('-')) removed.push({ number: left++, text: line.slice(1) })
    else if (isInHunk && line.startsWith('+')) added.push({ number: right++, text: line.slice(1) })
    else if (isInHunk && line.startsWith(' ')) {
      flush()
      rows.push({
        kind: 'lines',
        left: unchangedLine(left++, line.slice(1)),
        right: unchangedLine(right++, line.slice(1)),
      })
    }
  }
  flush()
  return rows
}

function unchangedLine(number: number, text: string): DiffLine {
  return { number, parts: [text, '', ''], isChanged: false }
}

function pair(removed: readonly NumberedLine[], added: readonly NumberedLine[]): readonly DiffRow[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, at) => {
    const [left, right] = [removed[at], added[at]]
    return {
      kind: 'lines',
      left: left && changedLine(left, right?.text),
      right: right && changedLine(right, left?.text),
    }
  })
}

/** Splits a line into the common start, the difference and the common end. */
function changedLine({ number, text }: NumberedLine, other: string | undefined): DiffLine {
  if (other === undefined) return { number, parts: ['', text, ''], isChanged: true }
  const shorter = Math.min(text.length, other.length)
  let start = 0
  while (start < shorter && text[start] === other[start]) start += 1
  if (isInsideSurrogatePair(text, start)) start -= 1
  let end = 0
  while (end < shorter - start && text.at(-1 - end) === other.at(-1 - end)) end += 1
  if (isInsideSurrogatePair(text, text.length - end)) end -= 1
  const until = text.length - end
  return { number, parts: [text.slice(0, start), text.slice(start, until), text.slice(until)], isChanged: true }
}

/** Whether an index is inside a surrogate pair, such as an emoji. */
function isInsideSurrogatePair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(Math.max(0, at - 1), at + 1))
}
