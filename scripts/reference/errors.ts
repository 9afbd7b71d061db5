import { catalogue, type CatalogueEntry } from '../../src/kit/catalogue.ts'
import { page, table } from './markdown.ts'

/** Generates the page of all error codes from the catalogue. */
export function describeErrors(): string {
  const rows = Object.entries<CatalogueEntry>(catalogue).map(([code, { status, hint }]) => [
    `\`${code}\``,
    status === 0 ? '–' : String(status),
    hint ?? 'The message contains the cause.',
  ])
  return page([
    '# Errors',
    'Every error is a `BowlineError` with one of these codes, in the client, on the command line and over HTTP. An HTTP response is `{ "success": false, "error", "code", "details"?, "hint"? }` with the status of the table. `SCRAPE_DNS_RESOLUTION_ERROR` has status 200, as public clients expect, so that `curl -f` does not fail: check `success`. A dash marks errors of the client or the command line, which have no status.',
    table(['Code', 'Status', 'Remedy'], rows),
  ])
}
