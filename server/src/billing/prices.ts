import { BowlineError } from 'bowline/kit/errors'

/** Prices in credits. The defaults are those of the public service. */
export interface Prices {
  /** Per hour of a browser session. */
  readonly browserHour: number
  /** Minimum for a browser session. */
  readonly browserMinimum: number
  /** Per hour of a browser session in which a prompt was run, instead of `browserHour`. */
  readonly promptHour: number
  /** Minimum for such a session. */
  readonly promptMinimum: number
  /** Per page. */
  readonly page: number
  /** Per page with structured extraction, instead of `page`. */
  readonly extraction: number
  /** Per page through the enhanced proxy, instead of `page`. */
  readonly enhanced: number
  /** Surcharge for a cache-only scrape (`lockdown`). */
  readonly lockdown: number
  /** Surcharge for redacted personal data, per page. */
  readonly redaction: number
  /** Surcharge for zero data retention, unless the scrape is cache-only. */
  readonly zeroRetention: number
  /** Per map of a site. */
  readonly mapCall: number
  /** Per ten search results or part thereof. */
  readonly tenResults: number
  /** Minimum for an extract job, whose pages cost `extraction` each. */
  readonly extractMinimum: number
  /** Per message of the language model of an agent. */
  readonly agentStep: number
}

/**
 * Default prices. Sessions cost 2 credits a minute, billed per started half minute, with a minimum
 * of 2. If a prompt was run they cost 7 credits a minute, with a minimum of 7. Pages cost 1 or 5
 * credits, maps 1, searches 2 per ten results.
 */
export const defaultPrices: Prices = {
  browserHour: 120,
  browserMinimum: 2,
  promptHour: 420,
  promptMinimum: 7,
  page: 1,
  extraction: 5,
  enhanced: 5,
  lockdown: 4,
  redaction: 4,
  zeroRetention: 1,
  mapCall: 1,
  tenResults: 2,
  extractMinimum: 20,
  agentStep: 4,
}

/**
 * Returns the default prices with overrides, each written `name=credits`. Throws CONFIG_INVALID for
 * an unknown name.
 */
export function withPrices(overrides: readonly string[]): Prices {
  const prices: Record<string, number> = { ...defaultPrices }
  for (const override of overrides) {
    const [name = '', credits] = override.split('=')
    if (!Object.hasOwn(prices, name)) {
      const names = Object.entries(defaultPrices).map(([known, price]) => `${known}=${price}`)
      throw new BowlineError('CONFIG_INVALID', `Unknown price \`${name}\`. Prices: ${names.join(', ')}`)
    }
    prices[name] = Number(credits)
  }
  return { ...defaultPrices, ...prices }
}

const msPerHour = 3_600_000

/** Returns the price of a browser session in whole credits. `isPrompted`: a prompt was run. */
export function priceOfSession(prices: Prices, durationMs: number, isPrompted = false): number {
  const [minimum, hour] = isPrompted
    ? [prices.promptMinimum, prices.promptHour]
    : [prices.browserMinimum, prices.browserHour]
  // Multiplies first: an inexact quotient would round 31 half minutes up to 32.
  return Math.max(minimum, Math.ceil((durationMs * hour) / msPerHour))
}

/** Features of a scrape that determine its price. */
export interface BilledFeatures {
  readonly isLlmPriced: boolean
  readonly isEnhanced: boolean
  readonly isLockdown: boolean
  readonly isZeroRetention: boolean
  /** Whether personal data was redacted. */
  readonly isRedacted: boolean
  /** Pages read from a PDF. 1 for other documents. */
  readonly pages: number
}

/** Returns the price of a scrape in whole credits. */
export function priceOfScrape(prices: Prices, billed: BilledFeatures): number {
  return (
    Math.max(prices.page, billed.isLlmPriced ? prices.extraction : 0, billed.isEnhanced ? prices.enhanced : 0) +
    Math.max(0, billed.pages - 1) * prices.page +
    (billed.isLockdown ? prices.lockdown : 0) +
    (billed.isRedacted ? Math.max(1, billed.pages) * prices.redaction : 0) +
    (billed.isZeroRetention && !billed.isLockdown ? prices.zeroRetention : 0)
  )
}

/** Returns the price of a search with this many results in whole credits. */
export function priceOfSearch(prices: Pick<Prices, 'tenResults'>, results: number): number {
  return Math.ceil(results / 10) * prices.tenResults
}

/** Returns the price of an extract job that read this many pages in whole credits. */
export function priceOfExtract(prices: Pick<Prices, 'extraction' | 'extractMinimum'>, pages: number): number {
  return Math.max(prices.extractMinimum, pages * prices.extraction)
}
