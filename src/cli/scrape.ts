import { Command, Option } from 'commander'
import { maxWaitMs } from '../contract/actions.ts'
import type { Document } from '../contract/document.ts'
import { scrapeLimits, type ScrapeInput } from '../contract/scrape.ts'
import type { SessionScrapeInput } from '../contract/session-scrape.ts'
import { attributeFormats, withAttributeFlag, type AttributeSelector } from './attribute-flag.ts'
import { readUrl } from './url-arguments.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { print, printJson, printNote } from '../terminal/print.ts'
import { profileOf, withProfileFlags, type ProfileFlags } from './profile-flags.ts'
import { countryCode, numberFrom, wholeNumber } from './whole-number.ts'

const formats = [
  'markdown',
  'html',
  'rawHtml',
  'links',
  'images',
  'product',
  'branding',
  'screenshot',
  'screenshot@fullPage',
  'json',
] as const

type FormatName = (typeof formats)[number]

/** Flags of scrapes by URL and of scrapes of a session. */
export interface DocumentFlags extends ConnectionFlags {
  readonly format: readonly FormatName[]
  readonly attribute?: readonly AttributeSelector[]
  readonly wholePage?: boolean
  readonly includeComments?: boolean
  readonly includeTags?: readonly string[]
  readonly excludeTags?: readonly string[]
  /** Former name of `includeTags`. */
  readonly include?: readonly string[]
  /** Former name of `excludeTags`. */
  readonly exclude?: readonly string[]
  readonly waitFor?: number
  readonly timeout?: number
  readonly ads?: boolean
  readonly prompt?: string
}

interface ScrapeFlags extends DocumentFlags, ProfileFlags {
  readonly maxAge?: number
  readonly mobile?: boolean
  readonly country?: string
  readonly proxy?: 'basic' | 'enhanced' | 'auto'
}

/** Creates the command `bowline scrape`. */
export function createScrapeCommand(): Command {
  const command = withConnectionFlags(
    new Command('scrape')
      .description('Scrape a page and print it.')
      .argument('<url>', 'URL of the page; `-` reads it from standard input'),
  )
  return withProfileFlags(withDocumentFlags(command, scrapeLimits), 'after the scrape')
    .option('--max-age <ms>', 'maximum age of a stored page in milliseconds; 0 disables stored pages', wholeNumber)
    .option('--mobile', 'emulate a phone')
    .option('--country <code>', 'country of the visitor, such as DE', countryCode)
    .addOption(new Option('--proxy <proxy>', 'egress proxy').choices(['basic', 'enhanced', 'auto']))
    .action(scrape)
}

/** Limits of `--timeout`, in milliseconds. */
interface TimeoutLimits {
  readonly minTimeout: number
  readonly maxTimeout: number
}

/** Adds the flags of scrapes by URL and of scrapes of a session. */
export function withDocumentFlags(command: Command, { minTimeout, maxTimeout }: TimeoutLimits): Command {
  withAttributeFlag(
    command.addOption(
      new Option('--format <format...>', 'formats to print').choices([...formats]).default(['markdown']),
    ),
  )
    .option('--whole-page', 'include menus, sidebars and footers')
    .option('--include-comments', 'keep all comments of readers')
  return withTagFlags(command)
    .option('--prompt <text>', 'description of the data for the format "json"')
    .option('--wait-for <ms>', 'time to wait after the page has loaded', numberFrom(0, maxWaitMs, 'milliseconds'))
    .option('--timeout <ms>', 'timeout of the scrape', numberFrom(minTimeout, maxTimeout, 'milliseconds'))
    .option('--no-ads', 'do not block advertisements')
}

/** Adds the flags for the elements of a page, with their former names. */
export function withTagFlags(command: Command): Command {
  return command
    .option('--include-tags <selector...>', 'include only elements that match these selectors')
    .option('--exclude-tags <selector...>', 'exclude elements that match these selectors')
    .addOption(new Option('--include <selector...>', 'former name of --include-tags').hideHelp())
    .addOption(new Option('--exclude <selector...>', 'former name of --exclude-tags').hideHelp())
}

async function scrape(given: string, flags: ScrapeFlags): Promise<void> {
  const url = await readUrl(given)
  const bowline = await createClient(flags)
  const document = await bowline.scrape(url, toOptions(flags))
  printDocument(document, flags)
}

/** Prints the formats of a document, or all of it as JSON with `--json`. */
export function printDocument(document: Document, flags: DocumentFlags): void {
  if (flags.json === true) return printJson(document)
  if (document.warning !== undefined) printNote(document.warning)
  if (document.metadata.error !== undefined) printNote(document.metadata.error)
  for (const format of flags.format) printFormat(document, format)
  for (const { values } of document.attributes ?? []) for (const value of values) print(value)
}

function toOptions(flags: ScrapeFlags): ScrapeInput {
  return {
    ...documentOptions(flags),
    maxAge: flags.maxAge,
    mobile: flags.mobile,
    location: flags.country === undefined ? undefined : { country: flags.country },
    proxy: flags.proxy,
    ...profileOf(flags),
  }
}

/** Converts the flags to the options of the API. */
export function documentOptions(flags: DocumentFlags): SessionScrapeInput {
  return {
    formats: [
      ...flags.format.map((name) => (name === 'json' ? ({ type: 'json', prompt: flags.prompt } as const) : name)),
      ...attributeFormats(flags.attribute),
    ],
    onlyMainContent: flags.wholePage !== true,
    includeComments: flags.includeComments,
    ...tagOptions(flags),
    waitFor: flags.waitFor,
    timeout: flags.timeout,
    blockAds: flags.ads,
  }
}

/** Converts the flags of `withTagFlags` to the options of the API. */
export function tagOptions({
  include,
  exclude,
  includeTags = include,
  excludeTags = exclude,
}: Pick<DocumentFlags, 'include' | 'exclude' | 'includeTags' | 'excludeTags'>): SessionScrapeInput {
  return { includeTags: includeTags?.slice(), excludeTags: excludeTags?.slice() }
}

function printFormat(document: Document, name: FormatName): void {
  const content = document[name === 'screenshot@fullPage' ? 'screenshot' : name]
  if (typeof content === 'string') print(content.trimEnd())
  else if (Array.isArray(content)) for (const item of content) print(String(item))
  else if (content !== undefined) printJson(content)
}
