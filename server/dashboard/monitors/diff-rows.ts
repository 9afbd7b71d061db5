/** A line on one side, with the part that differs from the other side between two marks. */
export interface DiffLine {
  readonly number: number
  /** What is the same before the difference, the difference, and what is the same after it. */
  readonly parts: readonly [before: string, different: string, after: string]
  readonly isChanged: boolean
}

/** Two lines beside each other, or a gap between hunks. */
export type DiffRow =
  | { readonly kind: 'gap' }
  | { readonly kind: 'lines'; readonly left: DiffLine | undefined; readonly right: DiffLine | undefined }

interface Numbered {
  readonly number: number
  readonly text: string
}

/** Lays a unified diff out in two columns: lines that were taken away beside those that took their place. */
export function toDiffRows(diff: string): readonly DiffRow[] {
  const rows: DiffRow[] = []
  let [left, right] = [1, 1]
  let isInHunk = false
  let gone: Numbered[] = []
  let come: Numbered[] = []
  const flush = (): void => {
    rows.push(...pair(gone, come))
    gone = []
    come = []
  }
  for (const line of diff.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk !== null) {
      flush()
      if (isInHunk) rows.push({ kind: 'gap' })
      isInHunk = true
      left = Number(hunk[1])
      right = Number(hunk[2])
    } else if (isInHunk && line.startsWith('-')) gone.push({ number: left++, text: line.slice(1) })
    else if (isInHunk && line.startsWith('+')) come.push({ number: right++, text: line.slice(1) })
    else if (isInHunk && line.startsWith(' ')) {
      flush()
      rows.push({ kind: 'lines', left: same(left++, line.slice(1)), right: same(right++, line.slice(1)) })
    }
  }
  flush()
  return rows
}

function same(number: number, text: string): DiffLine {
  return { number, parts: [text, '', ''], isChanged: false }
}

function pair(gone: readonly Numbered[], come: readonly Numbered[]): readonly DiffRow[] {
  return Array.from({ length: Math.max(gone.length, come.length) }, (_, at) => {
    const [left, right] = [gone[at], come[at]]
    return { kind: 'lines', left: left && changed(left, right?.text), right: right && changed(right, left?.text) }
  })
}

/** The difference is what is left when the same beginning and the same end are taken off. */
function changed({ number, text }: Numbered, other: string | undefined): DiffLine {
  if (other === undefined) return { number, parts: ['', text, ''], isChanged: true }
  const shorter = Math.min(text.length, other.length)
  let start = 0
  while (start < shorter && text[start] === other[start]) start += 1
  if (isWithinSign(text, start)) start -= 1
  let end = 0
  while (end < shorter - start && text.at(-1 - end) === other.at(-1 - end)) end += 1
  if (isWithinSign(text, text.length - end)) end -= 1
  const until = text.length - end
  return { number, parts: [text.slice(0, start), text.slice(start, until), text.slice(until)], isChanged: true }
}

/** Whether a place is between the two halves of a sign, such as an emoji: halves show as nothing that can be read. */
function isWithinSign(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(Math.max(0, at - 1), at + 1))
}
