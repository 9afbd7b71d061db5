import { retryAfterMs } from './failure-kind.ts'
import type { PoolSettings } from './options.ts'
import type { FailureKind } from './outcome.ts'
import type { Task } from './task.ts'

const longestDelayMs = 30_000

/** The task after a failed attempt. */
export function withFailure<Item>(task: Task<Item>, kind: FailureKind): Task<Item> {
  return {
    ...task,
    failures: { ...task.failures, [kind]: task.failures[kind] + 1 },
  }
}

/**
 * Milliseconds until the next attempt on a task that has failed: doubled each time, spread over a half so that many do not
 * come back at once, and never less than the service asked for. Undefined: it has had all its attempts.
 */
export function retryDelayMs<Item>(
  task: Task<Item>,
  kind: FailureKind,
  error: unknown,
  retries: PoolSettings<unknown>['retries'],
): number | undefined {
  const failures = task.failures[kind]
  if (failures > retries[kind]) return undefined
  const delayMs = Math.min(longestDelayMs, retries.delayMs * 2 ** (failures - 1))
  return Math.max(retryAfterMs(error), delayMs * (0.75 + Math.random() / 4))
}
