/** What things cost, in credits. The defaults are those of the public service. */
export interface Prices {
  /** Credits for an hour of a browser session. */
  readonly browserHour: number
  /** Least credits for one browser session. */
  readonly browserMinimum: number
  /** Credits for one map of a site. */
  readonly mapCall: number
}

/** Sessions: 2 credits a minute, charged by the started half minute, at least 2. Maps: 1 each. */
export const defaultPrices: Prices = { browserHour: 120, browserMinimum: 2, mapCall: 1 }

const msPerHour = 3_600_000

/** Credits for a browser session of `durationMs` milliseconds: a whole number. */
export const priceOfSession = (prices: Prices, durationMs: number): number =>
  Math.max(prices.browserMinimum, Math.ceil((durationMs / msPerHour) * prices.browserHour))
