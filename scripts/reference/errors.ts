import { catalogue, type CatalogueEntry } from '../../src/kit/catalogue.ts'
import { page, table } from './markdown.ts'

/** The page of all error codes, from the catalogue. */
export function describeErrors(): string {
  const rows = Object.entries<CatalogueEntry>(catalogue).map(([code, { status, hint }]) => [
    `\`${code}\``,
    status === 0 ? '–' : String(status),
    hint ?? '',
  ])
  return page([
    '# Errors',
    'Every failure is a `BowlineError` with one of these codes, the same in the client, on the command line and on the wire, where it is `{ "success": false, "error", "code", "details"?, "hint"? }` with the status of the table. A dash: the error is made on the side of the client and has no status.',
    table(['Code', 'Status', 'What to do'], rows),
  ])
}
