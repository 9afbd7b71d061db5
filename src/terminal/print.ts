import { styleText } from 'node:util'
import type { BowlineError } from '../kit/errors.ts'
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

/** Prints one line on standard error, where it does not mix with results. */
export function printNote(line: string): void {
  process.stderr.write(`${stripControlChars(line, process.stderr.isTTY)}\n`)
}

/** Whether standard error is a terminal that can show what moves: on one without a width, as `script` makes, spinners never end. */
export function canSpin(): boolean {
  return process.stderr.isTTY && process.stderr.columns > 0
}

/** Prints an error on standard error: `code: message (hint)`, or one line of JSON. */
export function printError(error: unknown, { json = false }: { readonly json?: boolean | undefined } = {}): void {
  const known = toBowlineError(error)
  if (json) printNote(JSON.stringify(errorFacts(known)))
  else printNote(styleText('red', toLine(known), { stream: process.stderr }))
}

function errorFacts({ code, message, hint, status, details, requestId, retryAfterSeconds }: BowlineError) {
  return {
    code,
    message,
    hint,
    // 0 stands for an error that came from no server.
    status: status === 0 ? undefined : status,
    details,
    requestId,
    retryAfterSeconds,
  }
}

// Not its own `toLine`: another copy of the package may have made it.
function toLine({ code, message, hint }: { code: string; message: string; hint: string | undefined }): string {
  return `${code}: ${message}${hint === undefined ? '' : ` (${hint})`}`
}

/** Prints rows in columns under their names. */
export function printTable(names: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = names.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)))
  const format = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  print(styleText('dim', format(names)))
  for (const row of rows) print(format(row))
}

/** Prints the facts of one thing, a line each; those that are undefined are left out. */
export function printFacts(facts: Readonly<Record<string, unknown>>): void {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...known.map(([name]) => name.length))
  for (const [name, value] of known) {
    print(`${styleText('dim', name.padEnd(width))}  ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  }
}
