import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { BowlineError } from '../kit/errors.ts'
import { addressesIn, readAddresses } from './addresses.ts'
import { connect, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { runBulk } from './run-bulk.ts'
import { pageOptions, withPageFlags, type PageFlags } from './page-flags.ts'
import { numberFrom } from './whole-number.ts'

interface BatchFlags extends ConnectionFlags, PageFlags {
  readonly file?: string
  readonly concurrency?: number
}

/** Makes `bowline batch`. */
export function createBatchCommand(): Command {
  return withPageFlags(withConnectionFlags(new Command('batch')))
    .description(
      'Scrapes many pages as one job: a line a page on a terminal, a line of JSON a document when piped. ' +
        'Addresses come from arguments, from a file, or from standard input, a line each.',
    )
    .argument('[urls...]', 'addresses of the pages; `-`: standard input')
    .option('--file <path>', 'file with an address a line; `-`: standard input')
    .option('--concurrency <count>', 'most pages at a time', numberFrom(1, 10_000))
    .action(batch)
}

async function batch(given: readonly string[], flags: BatchFlags): Promise<void> {
  const urls = [...(await readAddresses(given)), ...(await readUrls(given, flags))]
  if (urls.length === 0)
    throw new BowlineError('BAD_REQUEST', 'No addresses were given', { hint: 'Name some, or pipe a list of them.' })
  const bowline = await connect(flags)
  const options = { ...pageOptions(flags), maxConcurrency: flags.concurrency }
  await runBulk((how) => bowline.batchScrape(urls, options, how), flags)
}

async function readUrls(given: readonly string[], { file }: BatchFlags): Promise<readonly string[]> {
  if (file === undefined && (given.length > 0 || process.stdin.isTTY)) return []
  return file === undefined || file === '-' ? readAddresses(['-']) : addressesIn(await readFile(file, 'utf8'))
}
