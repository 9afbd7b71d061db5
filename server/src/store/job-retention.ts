/** How long a job and what it found can be read after its end, in milliseconds. */
export const jobRetentionMs = 86_400_000

/** When a job that would expire at that time does: a day after its end, and as long as it runs no sooner than a day from now, in whole seconds. */
export function expiryOf(expiresAt: Date, isRunning: boolean): Date {
  if (!isRunning || expiresAt.getTime() > Date.now()) return expiresAt
  return new Date(Math.floor((Date.now() + jobRetentionMs) / 1000) * 1000)
}
