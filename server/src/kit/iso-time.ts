/** The largest time that a `Date` can hold, in milliseconds since the epoch. */
const maxTimeMs = 8.64e15

/**
 * Formats a time of the browser, in milliseconds since the epoch. A client can set the clock of a
 * page to a time that a `Date` cannot hold, which becomes the nearest one that it can.
 */
export function isoTime(timeMs: number): string {
  const boundedMs = Math.max(-maxTimeMs, Math.min(timeMs, maxTimeMs))
  return new Date(Number.isNaN(boundedMs) ? 0 : boundedMs).toISOString()
}
