import { documentTooLarge } from './document-errors.ts'

/** Maximum number of cells of a document, with the empty ones. */
export const maxCells = 100_000

/** Counts the cells of a document. */
export class CellLimit {
  #cells = 0

  /** Throws DOCUMENT_TOO_LARGE for too many cells. */
  add(cells: number): void {
    this.#cells += cells
    if (this.#cells > maxCells) {
      throw documentTooLarge(`The document has more than ${maxCells.toLocaleString('en')} cells`)
    }
  }
}

/** Writes rows of HTML as a table, whose first row is the header. Short rows get empty cells. */
export function htmlTable(rows: readonly (readonly string[])[], limit: CellLimit): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (width === 0) return ''
  limit.add(rows.length * width)
  const lines = rows.map((row, index) => {
    const tag = index === 0 ? 'th' : 'td'
    return `<tr>${Array.from({ length: width }, (_, column) => `<${tag}>${row[column] ?? ''}</${tag}>`).join('')}</tr>\n`
  })
  return `<table>\n${lines.join('')}</table>\n`
}

/** Removes the empty cells and rows at the end. */
export function trimRows(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const trimmed = rows.map((row) => row.slice(0, row.findLastIndex((cell) => cell !== '') + 1))
  return trimmed.slice(0, trimmed.findLastIndex((row) => row.length > 0) + 1)
}
