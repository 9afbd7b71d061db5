import { styleText } from 'node:util'
import { errorLine } from './error-line.ts'
import { columnGap, fitTable, type TableColumn } from './fit-table.ts'
import { textWidth } from './text-width.ts'
import { stripControlChars } from './strip-control-chars.ts'
import { toBowlineError } from './to-bowline-error.ts'

/** Prints one line on standard output. */
export function print(line: string): void {
  process.stdout.write(`${stripControlChars(line, process.stdout.isTTY)}\n`)
}

/** Prints a value as JSON on standard output. */
export function printJson(value: unknown): void {
  return print(JSON.stringify(value, undefined, 2))
}

/** Prints one line on standard error, separate from results. */
export function printNote(line: string): void {
  process.stderr.write(`${stripControlChars(line, process.stderr.isTTY)}\n`)
}

/**
 * Returns whether standard error is a terminal with a known width. Without one, as under `script`,
 * status lines cannot be erased.
 */
export function canSpin(): boolean {
  return process.stderr.isTTY && process.stderr.columns > 0
}

/** Prints an error on standard error, as `CODE: message (hint)` or as one line of JSON. */
export function printError(error: unknown, { json = false }: { readonly json?: boolean | undefined } = {}): void {
  const known = toBowlineError(error)
  if (json) printNote(JSON.stringify(known))
  else printNote(styleText('red', errorLine(known), { stream: process.stderr }))
}

/**
 * Prints rows as a table with column names. On a terminal it fits the width: text is shortened, and
 * columns are left out in their `dropOrder`.
 */
export function printTable(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): void {
  const { isTTY, columns: terminalWidth } = process.stdout
  const flat = rows.map((row) => row.map((cell) => cell.replaceAll(/\s+/g, ' ')))
  const table = fitTable(columns, flat, isTTY && terminalWidth > 0 ? terminalWidth : Infinity)
  const format = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell + ' '.repeat(Math.max(0, (table.widths[at] ?? 0) - textWidth(cell))))
      .join(' '.repeat(columnGap))
      .trimEnd()
  print(styleText('dim', format(table.columns.map(({ name }) => name))))
  for (const row of table.rows) print(format(row))
}

/** Prints named values, one per line. Undefined values are omitted. */
export function printFacts(facts: Readonly<Record<string, unknown>>): void {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...known.map(([name]) => name.length))
  for (const [name, value] of known) {
    print(`${styleText('dim', name.padEnd(width))}  ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  }
}
