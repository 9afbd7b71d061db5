import { BowlineError } from 'bowline/kit/errors'

/** `Retry-After` of rejected requests in seconds. Load balancers have noticed the drain by then. */
export const drainRetrySeconds = 5

/**
 * Creates the DRAINING error for work that a stopping server rejects. `otherServers` is the number
 * of those that accept work, if known.
 */
export function drainingError(otherServers?: number): BowlineError {
  return new BowlineError('DRAINING', 'This server is shutting down', {
    retryAfterSeconds: drainRetrySeconds,
    ...(otherServers !== undefined && { details: { otherServers }, hint: hintOf(otherServers) }),
  })
}

function hintOf(otherServers: number): string {
  if (otherServers === 0) return 'No other server is running. Retry when one has started.'
  const servers = otherServers === 1 ? '1 other server accepts' : `${otherServers} other servers accept`
  return `${servers} requests. Retry on a new connection, after the seconds in \`Retry-After\`.`
}
