import type { ScrapeInput } from 'bowline/contract/scrape'
import { enterFormats, linesOf, readFormats, type EnteredFormats, type FormatName } from './formats.ts'

const hourMs = 3_600_000

/** Default of the API for the age of a stored page. */
const defaultMaxAgeMs = 48 * hourMs

/** Maximum age of a stored page in milliseconds, with its text. */
export const storedPageAges: readonly (readonly [maxAgeMs: number, text: string])[] = [
  [0, 'never'],
  [hourMs, 'up to 1 hour old'],
  [24 * hourMs, 'up to 1 day old'],
  [defaultMaxAgeMs, 'up to 2 days old'],
  [7 * 24 * hourMs, 'up to 7 days old'],
  [30 * 24 * hourMs, 'up to 30 days old'],
]

/** Options of a scrape as entered. */
export interface EnteredScrape {
  readonly formats: EnteredFormats
  readonly isMainOnly: boolean
  readonly isMobile: boolean
  readonly waitMs: number
  readonly maxAgeMs: number
  /** One CSS selector per line. */
  readonly includeTags: string
  /** One CSS selector per line. */
  readonly excludeTags: string
}

/** The defaults of the API with the given formats. */
export function enterScrape(names: readonly FormatName[]): EnteredScrape {
  return {
    formats: enterFormats(names),
    isMainOnly: true,
    isMobile: false,
    waitMs: 0,
    maxAgeMs: defaultMaxAgeMs,
    includeTags: '',
    excludeTags: '',
  }
}

/** Reads the options as the API accepts them. Omits defaults, except the formats. */
export function readScrape(entered: EnteredScrape): ScrapeInput {
  const { formats, isMainOnly, isMobile, waitMs, maxAgeMs } = entered
  const [includeTags, excludeTags] = [linesOf(entered.includeTags), linesOf(entered.excludeTags)]
  return {
    formats: readFormats(formats),
    ...(isMainOnly ? {} : { onlyMainContent: false }),
    ...(maxAgeMs === defaultMaxAgeMs ? {} : { maxAge: maxAgeMs }),
    ...(isMobile ? { mobile: true } : {}),
    ...(waitMs > 0 ? { waitFor: waitMs } : {}),
    ...(includeTags.length === 0 ? {} : { includeTags }),
    ...(excludeTags.length === 0 ? {} : { excludeTags }),
  }
}
