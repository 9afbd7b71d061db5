import { BowlineError } from 'bowline/kit/errors'

/** What things cost, in credits. The defaults are those of the public service. */
export interface Prices {
  /** Credits for an hour of a browser session. */
  readonly browserHour: number
  /** Least credits for one browser session. */
  readonly browserMinimum: number
  /** Credits for one page. */
  readonly page: number
  /** Credits for one page when data are extracted from it, in place of `page`. */
  readonly extraction: number
  /** Credits for one page through the enhanced proxy, in place of `page`. */
  readonly enhanced: number
  /** Credits more for an answer from the store alone. */
  readonly lockdown: number
  /** Credits more for keeping nothing. */
  readonly zeroRetention: number
  /** Credits for one map of a site. */
  readonly mapCall: number
  /** Credits for ten results of a search, or fewer. */
  readonly tenResults: number
  /** Least credits for an extraction, whose pages cost `extraction` each. */
  readonly extractMinimum: number
}

/** Sessions: 2 credits a minute, charged by the started half minute, at least 2. Pages: 1 credit, or 5. Maps: 1 each. Searches: 2 for ten results. */
export const defaultPrices: Prices = {
  browserHour: 120,
  browserMinimum: 2,
  page: 1,
  extraction: 5,
  enhanced: 5,
  lockdown: 4,
  zeroRetention: 1,
  mapCall: 1,
  tenResults: 2,
  extractMinimum: 20,
}

/** The usual prices with others in place of some, each written `name=credits`. Throws CONFIG_INVALID for a name that is none. */
export function withPrices(overrides: readonly string[]): Prices {
  const prices: Record<string, number> = { ...defaultPrices }
  for (const override of overrides) {
    const [name = '', credits] = override.split('=')
    if (!Object.hasOwn(prices, name)) {
      const names = Object.entries(defaultPrices).map(([known, price]) => `${known}=${price}`)
      throw new BowlineError('CONFIG_INVALID', `There is no price \`${name}\`. Prices: ${names.join(', ')}`)
    }
    prices[name] = Number(credits)
  }
  return { ...defaultPrices, ...prices }
}

const msPerHour = 3_600_000

/** Credits for a browser session of `durationMs` milliseconds: a whole number. */
export function priceOfSession(prices: Prices, durationMs: number): number {
  // Multiplied first: a quotient that is not exact would make 31 half minutes 32.
  return Math.max(prices.browserMinimum, Math.ceil((durationMs * prices.browserHour) / msPerHour))
}

/** What of a scrape costs. */
export interface BilledFeatures {
  readonly isExtracted: boolean
  readonly isEnhanced: boolean
  readonly isLockdown: boolean
  readonly isZeroRetention: boolean
  /** Pages of a PDF that were read; 1 for other pages. */
  readonly pages: number
}

/** Credits for a scrape: a whole number. */
export function priceOfScrape(prices: Prices, use: BilledFeatures): number {
  return (
    Math.max(prices.page, use.isExtracted ? prices.extraction : 0, use.isEnhanced ? prices.enhanced : 0) +
    Math.max(0, use.pages - 1) * prices.page +
    (use.isLockdown ? prices.lockdown : 0) +
    (use.isZeroRetention ? prices.zeroRetention : 0)
  )
}

/** Credits for so many results of a search: a whole number. */
export function priceOfSearch(prices: Pick<Prices, 'tenResults'>, results: number): number {
  return Math.ceil(results / 10) * prices.tenResults
}

/** Credits for an extraction from so many pages: a whole number. */
export function priceOfExtract(prices: Pick<Prices, 'extraction' | 'extractMinimum'>, pages: number): number {
  return Math.max(prices.extractMinimum, pages * prices.extraction)
}
