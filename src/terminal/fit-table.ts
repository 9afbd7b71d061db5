import { shortenText, textWidth } from './text-width.ts'

/** A column of a table. */
export interface TableColumn {
  readonly name: string
  /**
   * How cells are shortened if the table is wider than the terminal: text with …, ISO times to
   * minutes. Default: not at all.
   */
  readonly shorten?: 'middle' | 'end' | 'time'
  /** Width to which text can be shortened before a column is left out. Default: 12. */
  readonly minWidth?: number
  /**
   * Position in the order in which columns are left out of a table that is still too wide.
   * Default: never.
   */
  readonly dropOrder?: number
}

/** Columns, their widths and their rows. */
export interface Table {
  readonly columns: readonly TableColumn[]
  readonly widths: readonly number[]
  readonly rows: readonly (readonly string[])[]
}

/** Columns of the terminal between two columns of a table. */
export const columnGap = 2

const defaultMinWidth = 12

/**
 * Fits a table into a terminal: shortens times and text, then leaves out columns, first those
 * without values. A table without further columns to leave out remains too wide.
 */
export function fitTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): Table {
  const full = measure(columns, rows)
  if (totalOf(full.widths) <= maxWidth) return full
  const filled = columns.filter((column, at) => column.dropOrder === undefined || rows.some((row) => row[at] !== ''))
  let table = shortenTimes(pick(full, filled))
  for (;;) {
    const widths = shrink(table, maxWidth)
    const dropped = totalOf(widths) <= maxWidth ? undefined : leastImportant(table.columns)
    if (dropped === undefined) return shortenCells(table, widths)
    table = pick(
      table,
      table.columns.filter((column) => column !== dropped),
    )
  }
}

function measure(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): Table {
  const widths = columns.map(({ name }, at) =>
    rows.reduce((width, row) => Math.max(width, textWidth(row[at] ?? '')), textWidth(name)),
  )
  return { columns, rows, widths }
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width + columnGap, -columnGap)
}

function pick({ columns, rows }: Table, kept: readonly TableColumn[]): Table {
  const isKept = columns.map((column) => kept.includes(column))
  return measure(
    kept,
    rows.map((row) => row.filter((_, at) => isKept[at])),
  )
}

function shortenTimes({ columns, rows }: Table): Table {
  const shortened = rows.map((row) =>
    row.map((cell, at) =>
      columns[at]?.shorten === 'time' ? cell.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d):[\d.]+Z/, '$1Z') : cell,
    ),
  )
  return measure(columns, shortened)
}

/** Returns the widths at which the table fits, or the smallest. Shrinks the widest text first. */
function shrink({ columns, widths }: Table, maxWidth: number): readonly number[] {
  const shrunk = [...widths]
  const isText = columns.map(({ shorten }) => shorten === 'middle' || shorten === 'end')
  const minimums = columns.map(({ name, minWidth = defaultMinWidth }) => Math.max(minWidth, name.length))
  for (let excess = totalOf(shrunk) - maxWidth; excess > 0; excess -= 1) {
    const spare = shrunk.map((width, at) => (isText[at] === true && width > (minimums[at] ?? 0) ? width : 0))
    const widest = Math.max(...spare)
    if (widest === 0) break
    shrunk[spare.indexOf(widest)] = widest - 1
  }
  return shrunk
}

function leastImportant(columns: readonly TableColumn[]): TableColumn | undefined {
  return columns
    .filter(({ dropOrder }) => dropOrder !== undefined)
    .toSorted((left, right) => (left.dropOrder ?? 0) - (right.dropOrder ?? 0))[0]
}

function shortenCells({ columns, rows }: Table, widths: readonly number[]): Table {
  const shortened = rows.map((row) =>
    row.map((cell, at) => {
      const shorten = columns[at]?.shorten
      return shorten === 'middle' || shorten === 'end' ? shortenText(cell, widths[at] ?? 0, shorten) : cell
    }),
  )
  return { columns, rows: shortened, widths }
}
