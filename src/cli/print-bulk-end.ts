import { styleText } from 'node:util'
import type { BulkProgress, BulkResult } from '../client/bulk-run.ts'
import type { BulkErrors } from '../contract/bulk.ts'
import { catalogue, type ErrorCode } from '../kit/catalogue.ts'
import { countOf } from '../kit/count-of.ts'
import { printNote } from '../terminal/print.ts'

/** The end of a job whose documents have been printed. */
export interface BulkEnd extends BulkErrors {
  readonly progress: BulkProgress | undefined
  readonly invalidUrls: readonly string[]
  /** Number of documents with an HTTP status of 400 or more. */
  readonly httpErrors: number
}

/** Prints the warning, the errors and the counts of a job on standard error. */
export function printBulkEnd({ progress, errors, robotsBlocked, invalidUrls, httpErrors }: BulkEnd): void {
  const warning = withoutFailures(progress?.warning ?? '')
  if (warning !== '') printNote(warning)
  for (const group of Map.groupBy(errors, ({ code, error }) => `${code} ${error}`).values()) {
    const { code = 'failed', error = '' } = group[0] ?? {}
    printColoured('red', `${code}  ${listUrls(group.map(({ url }) => url))}  ${error}`)
  }
  for (const hint of hintsOf(errors, progress?.id)) printColoured('dim', hint)
  if (robotsBlocked.length > 0) printColoured('dim', `disallowed by robots.txt  ${listUrls(robotsBlocked)}`)
  if (invalidUrls.length > 0) printColoured('red', `invalid URL, skipped  ${listUrls(invalidUrls)}`)
  const { completed = 0, creditsUsed = 0 } = progress ?? {}
  const blocked = robotsBlocked.length === 0 ? '' : ` (${robotsBlocked.length} disallowed by robots.txt)`
  const failed = `${errors.length + robotsBlocked.length} failed${blocked}`
  const withError = httpErrors === 0 ? '' : ` (${httpErrors} with an HTTP error, status 400 or more)`
  printNote(`${countOf(completed, 'page')}${withError}, ${failed}, ${countOf(creditsUsed, 'credit')}`)
}

/** Whether a page was not scraped because the credits were used up. */
export function isUnpaid({ code }: BulkErrors['errors'][number]): boolean {
  return code === 'INSUFFICIENT_CREDITS'
}

/** Prints on standard error that pages were not scraped for lack of credits, if there are any. */
export function printUnpaid({ id, errors }: Pick<BulkResult, 'id' | 'errors'>): void {
  const unpaid = errors.filter(isUnpaid).length
  if (unpaid === 0) return
  printColoured('red', `INSUFFICIENT_CREDITS  ${countOf(unpaid, 'page')} not scraped  ${creditsHint(id)}`)
}

function printColoured(colour: 'red' | 'dim', line: string): void {
  printNote(styleText(colour, line, { stream: process.stderr }))
}

/** Removes the sentence about failed pages, which are printed with their reasons. */
function withoutFailures(warning: string): string {
  return warning.replace(/\d+ pages? (?:was|were) not scraped\. See GET \S+ for the reasons\. ?/, '').trimEnd()
}

const maxListed = 3

function listUrls(urls: readonly string[]): string {
  const more = urls.length - maxListed
  return `${urls.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Returns the hints of the error codes, each once. */
function hintsOf(errors: BulkErrors['errors'], id = 'ID'): readonly string[] {
  const codes = [...new Set(errors.map(({ code }) => code))]
  return codes.flatMap((code) => {
    const hint = code === 'INSUFFICIENT_CREDITS' ? creditsHint(id) : hintOf(code)
    return hint === undefined ? [] : [`${code}: ${hint}`]
  })
}

function hintOf(code: string | undefined): string | undefined {
  return code === undefined || !(code in catalogue) ? undefined : catalogue[code as ErrorCode].hint
}

function creditsHint(id: string): string {
  return `Add credits with \`bowline teams add-credits TEAM CREDITS\`, then scrape the failed pages with \`bowline batch --retry ${id}\`.`
}
