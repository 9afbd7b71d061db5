import { Option, type Command } from 'commander'
import type { ScrapeInput } from '../contract/scrape.ts'
import { numberFrom, wholeNumber } from './whole-number.ts'

const formats = ['markdown', 'html', 'rawHtml', 'links', 'images', 'screenshot'] as const

/** How each page of a job is scraped. */
export interface PageFlags {
  readonly format: readonly (typeof formats)[number][]
  readonly wholePage?: boolean
  readonly timeout?: number
  readonly maxAge?: number
}

/** Adds the options that say how each page is scraped. */
export function withPageFlags(command: Command): Command {
  return command
    .addOption(new Option('--format <format...>', 'what is wanted').choices([...formats]).default(['markdown']))
    .option('--whole-page', 'keep menus, sidebars and footers')
    .option('--timeout <ms>', 'time for each page', numberFrom(1000, 600_000, 'milliseconds'))
    .option('--max-age <ms>', 'take stored pages that are younger; 0: none', wholeNumber)
}

/** The same in terms of the API. */
export function pageOptions({ format, wholePage, timeout, maxAge }: PageFlags): ScrapeInput {
  return {
    formats: [...format],
    onlyMainContent: wholePage !== true,
    timeout,
    maxAge,
  }
}
