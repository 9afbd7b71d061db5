import { Command, Option } from 'commander'
import type { CrawlInput } from '../contract/crawl.ts'
import { readUrl } from './url-arguments.ts'
import { createClient, withConnectionFlags } from './connection.ts'
import { pageOptions, withPageFlags, type PageFlags } from './page-flags.ts'
import { runBulk, withBulkFlags, type BulkFlags } from './run-bulk.ts'
import { numberFrom } from './whole-number.ts'

interface CrawlFlags extends BulkFlags, PageFlags {
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

/** Creates the command `bowline crawl`. */
export function createCrawlCommand(): Command {
  return withBulkFlags(withPageFlags(withConnectionFlags(new Command('crawl'))))
    .description(
      'Scrape the pages of a site. The output is one line per page on a terminal, one JSON document per line when ' +
        'piped, and with --json one object with all documents, errors and counts once the job has ended.',
    )
    .argument('<url>', 'start URL; `-` reads it from standard input')
    .option('--limit <count>', 'maximum number of pages (default: 10000)', numberFrom(1, 100_000))
    .option('--depth <count>', 'maximum number of links between the start page and a page', numberFrom(0, 1000))
    .option('--include <pattern...>', 'include only paths that match one of these regular expressions')
    .option('--exclude <pattern...>', 'exclude paths that match one of these regular expressions')
    .addOption(
      new Option('--sitemap <how>', 'where to find pages: sitemaps and links, links only, or sitemaps only').choices([
        'include',
        'skip',
        'only',
      ]),
    )
    .option('--whole-site', 'include pages outside the path of the start URL')
    .option('--subdomains', 'include pages of subdomains')
    .option('--ignore-robots', 'include pages that robots.txt disallows')
    .option('--concurrency <count>', 'maximum number of pages scraped at once', numberFrom(1, 10_000))
    .option('--delay <seconds>', 'delay between two pages', numberFrom(0, 600, 'seconds'))
    .action(crawl)
}

async function crawl(given: string, flags: CrawlFlags): Promise<void> {
  const url = await readUrl(given)
  const bowline = await createClient(flags)
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
    webhook: flags.webhook,
    scrapeOptions: pageOptions(flags),
  }
  await runBulk((how) => bowline.crawl(url, options, how), flags)
}
