import { escapeHtml } from '../../kit/escape-html.ts'

/** Text of one format. */
export interface Run {
  /** Escaped, with `<br>` as line breaks. */
  readonly html: string
  readonly isBold?: boolean
  readonly isItalic?: boolean
  readonly isStruck?: boolean
  readonly href?: string | undefined
}

/** Writes runs as HTML. Programs split text into many runs of the same format, which are joined. */
export function writeRuns(runs: readonly Run[]): string {
  const joined: Run[] = []
  for (const run of runs) {
    const last = joined.at(-1)
    if (run.html === '') continue
    if (last !== undefined && isSameFormat(last, run))
      joined[joined.length - 1] = { ...last, html: last.html + run.html }
    else joined.push(run)
  }
  return joined.map(writeRun).join('')
}

function isSameFormat(a: Run, b: Run): boolean {
  return (
    (a.isBold ?? false) === (b.isBold ?? false) &&
    (a.isItalic ?? false) === (b.isItalic ?? false) &&
    (a.isStruck ?? false) === (b.isStruck ?? false) &&
    a.href === b.href
  )
}

function writeRun({ html, isBold, isItalic, isStruck, href }: Run): string {
  let written = html
  if (isStruck === true) written = `<s>${written}</s>`
  if (isItalic === true) written = `<em>${written}</em>`
  if (isBold === true) written = `<strong>${written}</strong>`
  return href === undefined ? written : `<a href="${escapeHtml(href)}">${written}</a>`
}

/** A paragraph of a list. `level` starts at 0. */
export interface ListItem {
  readonly level: number
  readonly isOrdered: boolean
  readonly html: string
}

/** Writes consecutive list paragraphs as nested lists. */
export function writeList(items: readonly ListItem[]): string {
  const open: ('ul' | 'ol')[] = []
  let html = ''
  for (const item of items) {
    const depth = Math.min(item.level, 9) + 1
    const tag = item.isOrdered ? 'ol' : 'ul'
    while (open.length > depth) html += `</li></${open.pop()}>`
    // A list of the other kind follows.
    if (open.length === depth && open.at(-1) !== tag) html += `</li></${open.pop()}>`
    if (open.length === depth) html += '</li>'
    while (open.length < depth) {
      open.push(tag)
      html += `<${tag}>`
      if (open.length < depth) html += '<li>'
    }
    html += `<li>${item.html}`
  }
  while (open.length > 0) html += `</li></${open.pop()}>`
  return html === '' ? '' : `${html}\n`
}

/** Joins blocks, in which consecutive list paragraphs become lists. */
export function writeBlocks(blocks: readonly (string | ListItem)[]): string {
  let html = ''
  let items: ListItem[] = []
  for (const block of blocks) {
    if (typeof block !== 'string') {
      items.push(block)
      continue
    }
    html += writeList(items) + block
    items = []
  }
  return html + writeList(items)
}
