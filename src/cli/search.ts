import { Command, Option } from 'commander'
import { searchLimits, type SearchOptions } from '../contract/search.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printJson, printNote, printTable } from '../terminal/print.ts'
import { countryCode, numberFrom } from './whole-number.ts'

const formats = ['markdown', 'html', 'links'] as const

interface SearchFlags extends ConnectionFlags {
  readonly limit?: number
  readonly source?: NonNullable<SearchOptions['sources']>
  readonly category?: NonNullable<SearchOptions['categories']>
  readonly tbs?: string
  readonly site?: string[]
  readonly notSite?: string[]
  readonly lang?: string
  readonly country?: string
  readonly location?: string
  readonly timeout?: number
  readonly scrape?: NonNullable<NonNullable<SearchOptions['scrapeOptions']>['formats']>
}

/** Creates the command `bowline search`. */
export function createSearchCommand(): Command {
  return withConnectionFlags(new Command('search'))
    .description(
      'Search with the search provider of the server. The output is a table on a terminal, JSON lines when piped, ' +
        'and one JSON object with --json. ' +
        'Operators: "…", -, OR, site:, inurl:, allinurl:, intitle:, allintitle:, related:, filetype:.',
    )
    .argument('<query...>', 'search terms and operators')
    .option('--limit <count>', 'maximum number of results per source (default: 10)', numberFrom(1, 100))
    .addOption(new Option('--source <name...>', 'sources to search (default: web)').choices(['web', 'news', 'images']))
    .addOption(
      new Option('--category <name...>', 'only results of these categories').choices([
        'github',
        'research',
        'pdf',
        'developer',
      ]),
    )
    .option('--tbs <filter>', 'time range: qdr:h, d, w, m, y, or cdr:1,cd_min:01/31/2026,cd_max:12/31/2026')
    .option('--site <domain...>', 'only results of these sites')
    .option('--not-site <domain...>', 'exclude results of these sites')
    .option('--lang <tag>', 'language of the results (default: en)')
    .option('--country <code>', 'country to search from, such as DE', countryCode)
    .option('--location <name>', 'location to search from, such as "Berlin, Germany"')
    .option(
      '--timeout <ms>',
      `timeout of the request (default: ${searchLimits.defaultTimeout})`,
      numberFrom(searchLimits.minTimeout, searchLimits.maxTimeout, 'milliseconds'),
    )
    .addOption(new Option('--scrape <format...>', 'scrape each result in these formats').choices(formats))
    .action(search)
}

async function search(query: readonly string[], flags: SearchFlags): Promise<void> {
  const bowline = await createClient(flags)
  const found = await bowline.search(query.join(' '), toOptions(flags))
  if (found.warning !== undefined) printNote(found.warning)
  if (flags.json === true) return printJson(found)
  const results = [...found.web, ...found.news, ...found.images]
  if (!process.stdout.isTTY) {
    for (const result of results) print(JSON.stringify(result))
    return
  }
  printTable(columns, [
    ...found.web.map(({ title, url, description }) => rowOf(title, url, description)),
    ...found.news.map(({ title, url, snippet }) => rowOf(title, url, snippet)),
    ...found.images.map(({ title, url, imageUrl }) => rowOf(title, url, imageUrl)),
  ])
}

const columns: readonly TableColumn[] = [
  { name: 'TITLE', shorten: 'end' },
  { name: 'URL', shorten: 'middle' },
  { name: 'ABOUT', shorten: 'end', dropOrder: 1 },
]

function rowOf(title: string | undefined, url: string | undefined, about: string | undefined): readonly string[] {
  return [cut(title, 40), cut(url, 60), cut(about, 60)]
}

function cut(text: string | undefined, width: number): string {
  const line = text?.replaceAll(/\s+/g, ' ') ?? ''
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`
}

function toOptions(flags: SearchFlags): SearchOptions {
  const { limit, source, category, tbs, site, notSite, lang, country, location, timeout, scrape } = flags
  const given = {
    limit,
    sources: source,
    categories: category,
    tbs,
    includeDomains: site,
    excludeDomains: notSite,
    lang,
    country,
    location,
    timeout,
    scrapeOptions: scrape && { formats: scrape },
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
