import { BowlineError } from 'bowline/kit/errors'

/** `Retry-After` of rejected requests in seconds. Another server has taken over by then. */
export const drainRetrySeconds = 5

/** Creates the DRAINING error for work that a stopping server rejects. */
export function drainingError(): BowlineError {
  return new BowlineError('DRAINING', 'This server is shutting down', { retryAfterSeconds: drainRetrySeconds })
}
