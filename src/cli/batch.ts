import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import { printNote } from '../terminal/print.ts'
import { parseUrlList, readUrls } from './url-arguments.ts'
import { createClient, withConnectionFlags } from './connection.ts'
import { runBulk, withBulkFlags, type BulkFlags } from './run-bulk.ts'
import { pageOptions, withPageFlags, type PageFlags } from './page-flags.ts'
import { numberFrom } from './whole-number.ts'

interface BatchFlags extends BulkFlags, PageFlags {
  readonly file?: string
  readonly concurrency?: number
  readonly retry?: string
}

/** Creates the command `bowline batch`. */
export function createBatchCommand(): Command {
  return withBulkFlags(withPageFlags(withConnectionFlags(new Command('batch'))))
    .description(
      'Scrape many pages as one job. The output is one line per page on a terminal, one JSON document per line when ' +
        'piped, and with --json one object with all documents, errors and counts once the job has ended. URLs are ' +
        'read from arguments, a file or standard input, one per line.',
    )
    .argument('[urls...]', 'URLs of the pages; `-` reads standard input')
    .option('--file <path>', 'file with one URL per line; `-` reads standard input')
    .option('--concurrency <count>', 'maximum number of pages scraped at once', numberFrom(1, 10_000))
    .option('--retry <id>', 'scrape the failed pages of this batch or crawl again, with its options, instead of URLs')
    .action(batch)
}

async function batch(given: readonly string[], flags: BatchFlags, command: Command): Promise<void> {
  if (flags.retry !== undefined) return retry(flags.retry, given, flags, command)
  const urls = [...(await readUrls(given)), ...(await readListedUrls(given, flags))]
  if (urls.length === 0)
    throw new BowlineError('BAD_REQUEST', 'No URLs were given', {
      hint: 'Pass URLs as arguments, with `--file`, or on standard input.',
    })
  const bowline = await createClient(flags)
  const options = { ...pageOptions(flags), maxConcurrency: flags.concurrency, webhook: flags.webhook }
  await runBulk((how) => bowline.batchScrape(urls, options, how), flags)
}

/** Options of a new job, which `--retry` takes from the job. */
const ownOptions: readonly (keyof PageFlags | 'concurrency' | 'webhook')[] = [
  'format',
  'attribute',
  'wholePage',
  'includeComments',
  'includeTags',
  'excludeTags',
  'waitFor',
  'timeout',
  'maxAge',
  'concurrency',
  'webhook',
]

async function retry(id: string, given: readonly string[], flags: BatchFlags, command: Command): Promise<void> {
  if (given.length > 0 || flags.file !== undefined) {
    throw new BowlineError('USAGE_INVALID', '`--retry` takes its URLs from the job, so no others can be given')
  }
  const name = ownOptions.find((each) => command.getOptionValueSource(each) === 'cli')
  if (name !== undefined) {
    const flag = command.options.find((option) => option.attributeName() === name)?.long ?? name
    throw new BowlineError(
      'USAGE_INVALID',
      `\`--retry\` scrapes with the options of the job, so \`${flag}\` has no effect`,
      {
        hint: `Omit \`${flag}\`, or start a new batch with it.`,
      },
    )
  }
  const bowline = await createClient(flags)
  try {
    await runBulk((how) => bowline.retryFailed(id, how), flags)
  } catch (error) {
    if (!isNothingFailed(error)) throw error
    printNote('No failed pages to retry.')
  }
}

/** Whether a retry was refused because the job has no failed page. */
function isNothingFailed(error: unknown): boolean {
  if (!isBowlineError(error) || error.code !== 'CONFLICT') return false
  const { details } = error
  return typeof details === 'object' && details !== null && 'failed' in details && details.failed === 0
}

async function readListedUrls(given: readonly string[], { file }: BatchFlags): Promise<readonly string[]> {
  if (file === undefined && (given.length > 0 || process.stdin.isTTY)) return []
  return file === undefined || file === '-' ? readUrls(['-']) : parseUrlList(await readFile(file, 'utf8'))
}
