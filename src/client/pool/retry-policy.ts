import { retryAfterMs } from './failure-kind.ts'
import type { PoolSettings } from './options.ts'
import type { FailureKind } from './outcome.ts'
import type { Task } from './task.ts'

const longestDelayMs = 30_000

/** Returns the task with one more failure. */
export function withFailure<Item>(task: Task<Item>, kind: FailureKind): Task<Item> {
  return {
    ...task,
    failures: { ...task.failures, [kind]: task.failures[kind] + 1 },
  }
}

/**
 * Returns the delay before the next attempt in milliseconds, or `undefined` if no retries are left.
 * The delay doubles with each failure, is at least `Retry-After`, and is spread randomly to avoid
 * bursts.
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
