import { parseRateLimits, type RateBucket, type RateLimits } from 'bowline/contract/rate-limits'
import { BowlineError } from 'bowline/kit/errors'
import { countRequest } from '../store/rate-windows.ts'
import type { Store } from '../store/store.ts'

/** Whose request it is. */
export interface Requester {
  readonly teamId: string
  /** As the contract writes them. Undefined: those of the server. */
  readonly teamRateLimits: string | undefined
}

/** Counts requests of teams, over all servers, and refuses those that are too many. A kind without limit costs nothing. */
export type CheckRateLimit = (requester: Requester, bucket: RateBucket) => Promise<void>

/** Makes the limiter. It throws RATE_LIMITED. */
export function createRateLimiter({ db }: Pick<Store, 'db'>, defaults: RateLimits): CheckRateLimit {
  return async ({ teamId, teamRateLimits }, bucket) => {
    const limits = teamRateLimits === undefined ? defaults : (parseRateLimits(teamRateLimits) ?? defaults)
    const limit = limits[bucket]
    if (limit === undefined) return
    const { used, resetsAt, leftMs } = await countRequest(db, teamId, bucket)
    if (used <= limit) return
    const seconds = Math.max(1, Math.ceil(leftMs / 1000))
    throw new BowlineError(
      'RATE_LIMITED',
      `Rate limit exceeded. Consumed (req/min): ${used}, Remaining (req/min): 0, of ${limit} for ${bucket}. ` +
        `Please retry after ${seconds}s, resets at ${resetsAt.toISOString()}`,
      { retryAfterSeconds: seconds, details: { bucket, limit, used, resetsAt: resetsAt.toISOString() } },
    )
  }
}
