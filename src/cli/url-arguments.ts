import { text } from 'node:stream/consumers'
import { BowlineError } from '../kit/errors.ts'

/** Parses a list with one URL per line. Skips empty lines and lines that start with `#`. */
export function parseUrlList(list: string): readonly string[] {
  return list
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** Returns the URL arguments of a command. `-` is replaced by the URLs on standard input. */
export async function readUrls(given: readonly string[]): Promise<readonly string[]> {
  if (!given.includes('-')) return given
  const listed = parseUrlList(await text(process.stdin))
  // Standard input can be read once.
  const first = given.indexOf('-')
  return given.flatMap((each, index) => (each !== '-' ? each : index === first ? listed : []))
}

/**
 * Returns the URL argument of a command. `-` is replaced by the URL on standard input. Throws
 * BAD_REQUEST if standard input has no URL or more than one.
 */
export async function readUrl(given: string): Promise<string> {
  const [url, ...more] = await readUrls([given])
  if (url !== undefined && more.length === 0) return url
  throw new BowlineError('BAD_REQUEST', `Standard input contains ${more.length === 0 ? 'no URL' : 'several URLs'}`, {
    hint: 'This command takes one URL. Use `bowline batch -` to scrape several.',
  })
}
