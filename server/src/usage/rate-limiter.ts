import { parseRateLimits, type RequestKind, type RateLimits } from 'bowline/contract/rate-limits'
import { BowlineError } from 'bowline/kit/errors'
import { countRequest } from './rate-window-queries.ts'
import type { Store } from '../store/store.ts'

/** The team that makes a request. */
export interface Requester {
  readonly teamId: string
  /**
   * The team's own limits in the format of `BOWLINE_RATE_LIMITS`. `undefined`: the server's limits.
   */
  readonly teamRateLimits: string | undefined
}

/**
 * Counts a request across all servers. Throws RATE_LIMITED if the team exceeds the limit
 * of this kind of request. Kinds without a limit are not counted.
 */
export type CheckRateLimit = (requester: Requester, kind: RequestKind) => Promise<void>

/** Creates the rate limiter. */
export function createRateLimiter({ db }: Pick<Store, 'db'>, defaults: RateLimits): CheckRateLimit {
  return async ({ teamId, teamRateLimits }, kind) => {
    const limits = teamRateLimits === undefined ? defaults : (parseRateLimits(teamRateLimits) ?? defaults)
    const limit = limits[kind]
    if (limit === undefined) return
    const { used, resetsAt, leftMs } = await countRequest(db, teamId, kind)
    if (used <= limit) return
    const seconds = Math.max(1, Math.ceil(leftMs / 1000))
    throw new BowlineError(
      'RATE_LIMITED',
      `Rate limit exceeded. Consumed (req/min): ${used}, Remaining (req/min): 0, of ${limit} for ${kind}. ` +
        `Please retry after ${seconds}s, resets at ${resetsAt.toISOString()}`,
      { retryAfterSeconds: seconds, details: { bucket: kind, limit, used, resetsAt: resetsAt.toISOString() } },
    )
  }
}
