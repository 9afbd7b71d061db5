import { Command, Option } from 'commander'
import type { CrawlInput } from '../contract/crawl.ts'
import { readAddress } from './addresses.ts'
import { connect, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { pageOptions, withPageFlags, type PageFlags } from './page-flags.ts'
import { runBulk } from './run-bulk.ts'
import { numberFrom } from './whole-number.ts'

interface CrawlFlags extends ConnectionFlags, PageFlags {
  readonly limit?: number
  readonly depth?: number
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  readonly sitemap?: CrawlInput['sitemap']
  readonly wholeSite?: boolean
  readonly subdomains?: boolean
  readonly ignoreRobots?: boolean
  readonly concurrency?: number
  readonly delay?: number
}

/** Makes `bowline crawl`. */
export function createCrawlCommand(): Command {
  return withPageFlags(withConnectionFlags(new Command('crawl')))
    .description(
      'Scrapes the pages of a site, following its links: a line a page on a terminal, a line of JSON a document when piped.',
    )
    .argument('<url>', 'where to start; `-`: the address on standard input')
    .option('--limit <count>', 'most pages (default: 10000)', numberFrom(1, 100_000))
    .option('--depth <count>', 'most links between the start and a page', numberFrom(0, 1000))
    .option('--include <pattern...>', 'only paths that match one of these regular expressions')
    .option('--exclude <pattern...>', 'no paths that match one of these')
    .addOption(new Option('--sitemap <how>', 'what sitemaps are used for').choices(['include', 'skip', 'only']))
    .option('--whole-site', 'pages that are not under the path of the address, too')
    .option('--subdomains', 'pages of subdomains, too')
    .option('--ignore-robots', 'pages that robots.txt forbids, too')
    .option('--concurrency <count>', 'most pages at a time', numberFrom(1, 10_000))
    .option('--delay <seconds>', 'seconds between two pages', numberFrom(0, 600, 'seconds'))
    .action(crawl)
}

async function crawl(given: string, flags: CrawlFlags): Promise<void> {
  const url = await readAddress(given)
  const bowline = await connect(flags)
  const options: CrawlInput = {
    limit: flags.limit,
    maxDiscoveryDepth: flags.depth,
    includePaths: flags.include?.slice(),
    excludePaths: flags.exclude?.slice(),
    sitemap: flags.sitemap,
    crawlEntireDomain: flags.wholeSite,
    allowSubdomains: flags.subdomains,
    ignoreRobotsTxt: flags.ignoreRobots,
    maxConcurrency: flags.concurrency,
    delay: flags.delay,
    scrapeOptions: pageOptions(flags),
  }
  await runBulk((how) => bowline.crawl(url, options, how), flags)
}
