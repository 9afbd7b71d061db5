import { Command, Option } from 'commander'
import { maxWaitMs } from '../contract/actions.ts'
import type { Document } from '../contract/document.ts'
import type { ScrapeInput } from '../contract/scrape.ts'
import { readAddress } from './addresses.ts'
import { connect, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { print, printJson, printNote } from '../terminal/print.ts'
import { countryCode, numberFrom, wholeNumber } from './whole-number.ts'

const formats = ['markdown', 'html', 'rawHtml', 'links', 'images', 'screenshot', 'screenshot@fullPage', 'json'] as const

type FormatName = (typeof formats)[number]

interface ScrapeFlags extends ConnectionFlags {
  readonly format: readonly FormatName[]
  readonly wholePage?: boolean
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  readonly waitFor?: number
  readonly timeout?: number
  readonly maxAge?: number
  readonly mobile?: boolean
  readonly ads?: boolean
  readonly prompt?: string
  readonly country?: string
  readonly proxy?: 'basic' | 'enhanced' | 'auto'
}

/** Makes `bowline scrape`. */
export function createScrapeCommand(): Command {
  return withConnectionFlags(
    new Command('scrape')
      .description('print a page')
      .argument('<url>', 'address of the page; `-`: the one on standard input'),
  )
    .addOption(new Option('--format <format...>', 'what to print').choices([...formats]).default(['markdown']))
    .option('--whole-page', 'keep menus, sidebars and footers')
    .option('--include <selector...>', 'only these elements')
    .option('--exclude <selector...>', 'all but these elements')
    .option('--prompt <text>', 'what the format "json" is to hold')
    .option('--wait-for <ms>', 'wait after the page has loaded', numberFrom(0, maxWaitMs, 'milliseconds'))
    .option('--timeout <ms>', 'time for the whole scrape', numberFrom(1000, 600_000, 'milliseconds'))
    .option('--max-age <ms>', 'take a stored page that is younger; 0: none', wholeNumber)
    .option('--mobile', 'show the page to a phone')
    .option('--no-ads', 'block nothing')
    .option('--country <code>', 'two letters: where the page thinks its reader is', countryCode)
    .addOption(new Option('--proxy <proxy>', 'which way out').choices(['basic', 'enhanced', 'auto']))
    .action(scrape)
}

async function scrape(given: string, flags: ScrapeFlags): Promise<void> {
  const url = await readAddress(given)
  const bowline = await connect(flags)
  const document = await bowline.scrape(url, toOptions(flags))
  if (flags.json === true) return printJson(document)
  if (document.warning !== undefined) printNote(document.warning)
  if (document.metadata.error !== undefined) printNote(document.metadata.error)
  for (const format of flags.format) printFormat(document, format)
}

function toOptions(flags: ScrapeFlags): ScrapeInput {
  return {
    formats: flags.format.map((name) => (name === 'json' ? { type: 'json', prompt: flags.prompt } : name)),
    onlyMainContent: flags.wholePage !== true,
    includeTags: flags.include?.slice(),
    excludeTags: flags.exclude?.slice(),
    waitFor: flags.waitFor,
    timeout: flags.timeout,
    maxAge: flags.maxAge,
    mobile: flags.mobile,
    blockAds: flags.ads,
    location: flags.country === undefined ? undefined : { country: flags.country },
    proxy: flags.proxy,
  }
}

function printFormat(document: Document, name: FormatName): void {
  const content = document[name === 'screenshot@fullPage' ? 'screenshot' : name]
  if (typeof content === 'string') print(content.trimEnd())
  else if (Array.isArray(content)) for (const item of content) print(String(item))
  else if (content !== undefined) printJson(content)
}
