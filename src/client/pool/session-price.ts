/** Price of a session in credits. */
export interface SessionPrice {
  /** Credits per hour. Every started credit is charged. */
  readonly hour: number
  /** Minimum credits per session. */
  readonly minimum: number
}

/** Default price of the Bowline server and of the public service. */
export const defaultSessionPrice: SessionPrice = { hour: 120, minimum: 2 }

const msPerHour = 3_600_000

/** Returns the price of a session of `durationMs` milliseconds. */
export function priceOf(price: SessionPrice, durationMs: number): number {
  return Math.max(price.minimum, Math.ceil((durationMs / msPerHour) * price.hour))
}

/** Returns the milliseconds that `credits` pay for: Infinity if time is free. */
export function paidMs(price: SessionPrice, credits: number): number {
  return price.hour === 0 ? Infinity : (credits / price.hour) * msPerHour
}
