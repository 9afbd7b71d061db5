import { dayMs } from 'bowline/kit/day-ms'

/** Milliseconds for which a job and its results are available after its end. */
export const jobRetentionMs = dayMs

/**
 * Returns when a job expires. While it is running, that is at least a day from now, rounded down to
 * seconds.
 */
export function expiryOf(expiresAt: Date, isRunning: boolean): Date {
  if (!isRunning || expiresAt.getTime() > Date.now()) return expiresAt
  return new Date(Math.floor((Date.now() + jobRetentionMs) / 1000) * 1000)
}
