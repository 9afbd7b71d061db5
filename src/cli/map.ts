import { Command, Option } from 'commander'
import { mapLimits, type MapOptions } from '../contract/map.ts'
import { countOf } from '../kit/count-of.ts'
import { readUrl } from './url-arguments.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { print, printJson, printNote } from '../terminal/print.ts'
import { withSpinner } from './spinner.ts'
import { countryCode, numberFrom } from './whole-number.ts'

interface MapFlags extends ConnectionFlags {
  readonly search?: string
  readonly sitemap?: MapOptions['sitemap']
  readonly subdomains: boolean
  readonly queries?: boolean
  readonly wholeSite?: boolean
  readonly limit?: number
  readonly timeout?: number
  readonly country?: string
  readonly language?: string[]
  readonly plain?: boolean
}

/** Creates the command `bowline map`. */
export function createMapCommand(): Command {
  return withConnectionFlags(new Command('map'))
    .description(
      'List the pages of a site: URLs on a terminal, JSON lines when piped, and one JSON object with --json. ' +
        'Warnings go to standard error. Without a sitemap, up to 50 pages are loaded for 15 seconds to follow links.',
    )
    .argument('<url>', 'start URL; `-` reads it from standard input')
    .option('--search <words>', 'sort pages that match these words first')
    .addOption(
      new Option('--sitemap <how>', 'where to find pages: sitemaps and links, links only, or sitemaps only').choices([
        'include',
        'skip',
        'only',
      ]),
    )
    .option('--no-subdomains', 'exclude subdomains')
    .option('--queries', 'treat URLs with different queries as different pages')
    .option('--whole-site', 'include pages outside the path of the start URL')
    .option('--limit <count>', 'maximum number of pages (default: 5000)', numberFrom(mapLimits.min, mapLimits.max))
    .option('--timeout <ms>', 'timeout of the request', numberFrom(1, 3_600_000, 'milliseconds'))
    .option('--country <code>', 'country of the visitor, such as DE (default: US)', countryCode)
    .option('--language <tag...>', 'preferred languages, in order')
    .option('--plain', 'print only URLs, even when piped')
    .action(map)
}

async function map(given: string, flags: MapFlags): Promise<void> {
  const url = await readUrl(given)
  const bowline = await createClient(flags)
  const found = await withSpinner(
    `mapping ${url}`,
    async () => bowline.map(url, toOptions(flags)),
    ({ links }) => countOf(links.length, 'page'),
  )
  if (found.warning !== undefined) printNote(found.warning)
  if (flags.json === true) return printJson(found)
  const isPlain = flags.plain === true || process.stdout.isTTY
  for (const link of found.links) print(isPlain ? link.url : JSON.stringify(link))
}

function toOptions({ search, sitemap, limit, timeout, country, language, ...flags }: MapFlags): MapOptions {
  return {
    ...(search === undefined ? {} : { search }),
    ...(sitemap === undefined ? {} : { sitemap }),
    ...(limit === undefined ? {} : { limit }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(country === undefined && language === undefined ? {} : { location: { country, languages: language } }),
    includeSubdomains: flags.subdomains,
    ignoreQueryParameters: flags.queries !== true,
    filterByPath: flags.wholeSite !== true,
  }
}
