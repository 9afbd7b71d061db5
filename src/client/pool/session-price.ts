/** What a session costs, in credits. */
export interface SessionPrice {
  /** Credits for an hour, charged by the started credit. */
  readonly hour: number
  /** Least credits for one session. */
  readonly minimum: number
}

/** The price of this server as it comes, and of the public service. */
export const defaultSessionPrice: SessionPrice = { hour: 120, minimum: 2 }

const msPerHour = 3_600_000

/** Credits for a session of `durationMs` milliseconds. */
export function priceOf(price: SessionPrice, durationMs: number): number {
  return Math.max(price.minimum, Math.ceil((durationMs / msPerHour) * price.hour))
}

/** Milliseconds that so many credits pay for: Infinity where time costs nothing. */
export function paidMs(price: SessionPrice, credits: number): number {
  return price.hour === 0 ? Infinity : (credits / price.hour) * msPerHour
}
