import { Option, type Command } from 'commander'
import { maxWaitMs } from '../contract/actions.ts'
import { attributeFormats, withAttributeFlag, type AttributeSelector } from './attribute-flag.ts'
import { scrapeLimits, type ScrapeInput } from '../contract/scrape.ts'
import { numberFrom, wholeNumber } from './whole-number.ts'

const formats = ['markdown', 'html', 'rawHtml', 'links', 'images', 'product', 'branding', 'screenshot'] as const

/** Flags that change what a page is: its elements, and when it is read. */
export interface ElementFlags {
  readonly includeTags?: readonly string[]
  readonly excludeTags?: readonly string[]
  readonly waitFor?: number
}

/** Flags of the scrape options of a job. */
export interface PageFlags extends ElementFlags {
  readonly format: readonly (typeof formats)[number][]
  readonly attribute?: readonly AttributeSelector[]
  readonly wholePage?: boolean
  readonly includeComments?: boolean
  readonly timeout?: number
  readonly maxAge?: number
}

/** Adds the flags of the scrape options of a job. */
export function withPageFlags(command: Command): Command {
  withAttributeFlag(
    command.addOption(
      new Option('--format <format...>', 'formats of each document').choices([...formats]).default(['markdown']),
    ),
  )
    .option('--whole-page', 'include menus, sidebars and footers')
    .option('--include-comments', 'keep all comments of readers')
  return withElementFlags(command)
    .option(
      '--timeout <ms>',
      'timeout per page',
      numberFrom(scrapeLimits.minTimeout, scrapeLimits.maxTimeout, 'milliseconds'),
    )
    .option('--max-age <ms>', 'maximum age of stored pages in milliseconds; 0 disables them', wholeNumber)
}

/** Adds the flags for the elements of each page, and the time before it is read. */
export function withElementFlags(command: Command): Command {
  return command
    .option('--include-tags <selector...>', 'include only elements that match these selectors')
    .option('--exclude-tags <selector...>', 'exclude elements that match these selectors')
    .option('--wait-for <ms>', 'time to wait after each page has loaded', numberFrom(0, maxWaitMs, 'milliseconds'))
}

/** Converts the flags to the scrape options of the API. */
export function pageOptions({ format, attribute, wholePage, timeout, maxAge, ...flags }: PageFlags): ScrapeInput {
  return {
    formats: [...format, ...attributeFormats(attribute)],
    onlyMainContent: wholePage !== true,
    includeComments: flags.includeComments,
    ...elementOptions(flags),
    timeout,
    maxAge,
  }
}

/** Converts the flags to the scrape options of the API. Returns an empty object without flags. */
export function elementOptions({ includeTags, excludeTags, waitFor }: ElementFlags): ScrapeInput {
  return {
    ...(includeTags === undefined ? {} : { includeTags: [...includeTags] }),
    ...(excludeTags === undefined ? {} : { excludeTags: [...excludeTags] }),
    ...(waitFor === undefined ? {} : { waitFor }),
  }
}
