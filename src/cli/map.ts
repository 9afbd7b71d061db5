import { Command, Option } from 'commander'
import { mapLimits, type MapOptions } from '../contract/map.ts'
import { readAddress } from './addresses.ts'
import { connect, withConnectionFlags, type ConnectionFlags } from './connection.ts'
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

/** Makes `bowline map`. */
export function createMapCommand(): Command {
  return withConnectionFlags(new Command('map'))
    .description(
      'Lists the pages of a site: addresses on a terminal, a JSON line for each page when piped. ' +
        'Notes go to standard error.',
    )
    .argument('<url>', 'where to start; `-`: the address on standard input')
    .option('--search <words>', 'put the pages that have to do with these words first')
    .addOption(new Option('--sitemap <how>', 'what sitemaps are used for').choices(['include', 'skip', 'only']))
    .option('--no-subdomains', 'leave subdomains out')
    .option('--queries', 'tell addresses with different queries apart')
    .option('--whole-site', 'list pages that are not under the path of the address, too')
    .option('--limit <count>', 'most pages (default: 5000)', numberFrom(mapLimits.min, mapLimits.max))
    .option('--timeout <ms>', 'milliseconds after which to give up', numberFrom(1, 3_600_000, 'milliseconds'))
    .option('--country <code>', 'country to ask from, such as DE (default: US)', countryCode)
    .option('--language <tag...>', 'languages to ask for, best first')
    .option('--plain', 'print addresses alone, also when piped')
    .action(map)
}

async function map(given: string, flags: MapFlags): Promise<void> {
  const url = await readAddress(given)
  const bowline = await connect(flags)
  const found = await withSpinner(
    `mapping ${url}`,
    async () => bowline.map(url, toOptions(flags)),
    ({ links }) => `${links.length} pages`,
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
