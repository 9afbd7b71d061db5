import { escapeHtml } from '../../kit/escape-html.ts'
import { textCharset } from '../../kit/text-charset.ts'
import { CellLimit, htmlTable } from './html-table.ts'
import type { HtmlDocument } from './html-document.ts'

/**
 * Converts CSV to a table. The delimiter is a comma, semicolon, tab or bar. `contentType` can
 * declare the charset.
 */
export function convertCsv(bytes: Uint8Array, contentType: string | undefined): HtmlDocument {
  const text = new TextDecoder(textCharset(bytes, contentType)).decode(bytes)
  const limit = new CellLimit()
  const rows = parseCsv(text, findDelimiter(text), new CellLimit())
  return { body: htmlTable(rows, limit) }
}

/** Returns the delimiter that divides the first line into most parts. */
function findDelimiter(text: string): string {
  const [line = ''] = text
    .slice(0, 100_000)
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r?\n/, 1)
  const counts = [',', ';', '\t', '|'].map((each) => [each, line.split(each).length] as const)
  return counts.reduce((best, each) => (each[1] > best[1] ? each : best))[0]
}

/** Parses CSV. Quoted fields can contain delimiters, line breaks and doubled quotes. */
function parseCsv(text: string, delimiter: string, limit: CellLimit): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length;) {
    const isQuoted = text[at] === '"'
    const quoteEnd = isQuoted ? endOfQuoted(text, at + 1) : at
    const quoted = isQuoted ? text.slice(at + 1, quoteEnd).replaceAll('""', '"') : ''
    // Text after a closing quote belongs to the field.
    const rest = untilEnd(text, isQuoted ? quoteEnd + 1 : at, delimiter)
    at = Math.min(text.length, (isQuoted ? quoteEnd + 1 : at) + rest.length)
    limit.add(1)
    row.push(cellHtml(quoted + rest))
    const next = text[at]
    if (next === delimiter) {
      at += 1
      if (at === text.length) row.push('')
      continue
    }
    at += next === '\r' && text[at + 1] === '\n' ? 2 : 1
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  if (row.length > 0) rows.push(row)
  return rows
}

/** Returns the index of the closing quote, or the length of the text if there is none. */
function endOfQuoted(text: string, start: number): number {
  let end = text.indexOf('"', start)
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  return end === -1 ? text.length : end
}

function untilEnd(text: string, start: number, delimiter: string): string {
  let end = start
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1
  return text.slice(start, end)
}

function cellHtml(text: string): string {
  return escapeHtml(text.trim()).replaceAll(/\r?\n/g, '<br>')
}
