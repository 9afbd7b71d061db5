/** Rows of a CSV file, by column. */
export type CsvRow = Readonly<Record<string, string | number | null | undefined>>

/** Formats rows as CSV (RFC 4180), with the columns of the first row. */
export function toCsv(rows: readonly CsvRow[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
  return lines.map((cells) => `${cells.map((cell) => quote(String(cell))).join(',')}\r\n`).join('')
}

/**
 * Quotes a cell. Spreadsheets would run cells that begin with these characters as formulas, some of
 * them also with the full-width forms.
 */
function quote(cell: string): string {
  const safe = /^[=+\-@＝＋－＠\t\r\n]/.test(cell) && !/^-?\d+(?:\.\d+)?$/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
