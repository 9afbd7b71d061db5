import type { RateLimits } from 'bowline/contract/rate-limits'
import type { Store } from '../store/store.ts'
import { openActivityLog, type ActivityLog } from './activity-log.ts'
import { createRateLimiter, type CheckRateLimit } from './rate-limiter.ts'

/** Tracks and limits what teams use. */
export interface Usage {
  readonly activity: ActivityLog
  readonly checkRateLimit: CheckRateLimit
}

/** Opens the activity log and the rate limiter. `resources` disposes them. */
export function openUsage(
  resources: AsyncDisposableStack,
  settings: { readonly rateLimits: RateLimits },
  deps: {
    readonly store: Store
    readonly onError: (error: unknown, action: string) => void
  },
): Usage {
  return {
    activity: resources.use(openActivityLog(deps.store, deps.onError)),
    checkRateLimit: createRateLimiter(deps.store, settings.rateLimits),
  }
}
