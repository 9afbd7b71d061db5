import { Option, type Command } from 'commander'
import type { ScrapeInput } from '../contract/scrape.ts'
import { numberFrom, wholeNumber } from './whole-number.ts'

const formats = ['markdown', 'html', 'rawHtml', 'links', 'images', 'product', 'branding', 'screenshot'] as const

/** Flags of the scrape options of a job. */
export interface PageFlags {
  readonly format: readonly (typeof formats)[number][]
  readonly wholePage?: boolean
  readonly includeComments?: boolean
  readonly timeout?: number
  readonly maxAge?: number
}

/** Adds the flags of the scrape options of a job. */
export function withPageFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format...>', 'formats of each document').choices([...formats]).default(['markdown']),
    )
    .option('--whole-page', 'include menus, sidebars and footers')
    .option('--include-comments', 'keep all comments of readers')
    .option('--timeout <ms>', 'timeout per page', numberFrom(1000, 600_000, 'milliseconds'))
    .option('--max-age <ms>', 'maximum age of stored pages in milliseconds; 0 disables them', wholeNumber)
}

/** Converts the flags to the scrape options of the API. */
export function pageOptions({ format, wholePage, includeComments, timeout, maxAge }: PageFlags): ScrapeInput {
  return {
    formats: [...format],
    onlyMainContent: wholePage !== true,
    includeComments,
    timeout,
    maxAge,
  }
}
