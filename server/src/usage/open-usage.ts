import type { RateLimits } from 'bowline/contract/rate-limits'
import type { Store } from '../store/store.ts'
import { openActivityLog, type ActivityLog } from './activity-log.ts'
import { createRateLimiter, type CheckRateLimit } from './rate-limiter.ts'
import { WorkPermits } from './work-permits.ts'

/** Tracks and limits what teams use. */
export interface Usage {
  readonly activity: ActivityLog
  readonly permits: WorkPermits
  readonly checkRateLimit: CheckRateLimit
}

/** Opens the activity log, work permits and rate limiter. `resources` disposes them. */
export function openUsage(
  resources: AsyncDisposableStack,
  settings: { readonly rateLimits: RateLimits },
  deps: {
    readonly store: Store
    readonly nodeId: string
    readonly onError: (error: unknown, what: string) => void
  },
): Usage {
  return {
    activity: resources.use(openActivityLog(deps.store, deps.onError)),
    permits: new WorkPermits(deps),
    checkRateLimit: createRateLimiter(deps.store, settings.rateLimits),
  }
}
