import type { Dispatcher } from './dispatcher.ts'
import { isAtCapacity, isFatal, retryAfterMs } from './failure-kind.ts'
import type { PoolSettings } from './options.ts'
import type { FailureKind, ItemFailed } from './outcome.ts'
import type { ProgressTracker } from './progress-tracker.ts'
import { retryDelayMs, withFailure } from './retry-policy.ts'
import { attemptsOf, type Task } from './task.ts'

/** Dependencies of the failures of a run. */
export interface RunFailuresDeps<Item> {
  readonly settings: Pick<PoolSettings<unknown>, 'retries' | 'size' | 'stopOnError'>
  /** Whether the session options depend on the item. */
  readonly hasItemSessions: boolean
  readonly dispatcher: Dispatcher<Item>
  readonly tracker: ProgressTracker
  /** Number of live sessions. */
  readonly sessions: () => number
  readonly deliver: (outcome: ItemFailed<Item>) => void
  /** Ends the run with an error. */
  readonly fail: (error: unknown) => void
}

const minPauseMs = 1000

/** Handles failures of a run: retries the item, delivers its failure, or ends the run. */
export class RunFailures<Item> {
  readonly #deps: RunFailuresDeps<Item>
  #failedOpenings = 0

  constructor(deps: RunFailuresDeps<Item>) {
    this.#deps = deps
  }

  /** Resets the number of sessions that failed to open, one after another. */
  onOpened(): void {
    this.#failedOpenings = 0
  }

  /** Handles a failed attempt on an item. */
  onItemFailed(task: Task<Item>, kind: FailureKind, error: unknown): void {
    const { settings, dispatcher, tracker, deliver, fail } = this.#deps
    const tried = withFailure(task, kind)
    const waitMs = retryDelayMs(tried, kind, error, settings.retries)
    const { index, item } = task
    if (waitMs !== undefined) {
      dispatcher.addFirst({ ...tried, notBeforeMs: performance.now() + waitMs })
      return tracker.emit({ type: 'retry', index, item, kind, error, waitMs })
    }
    deliver({ state: 'failed', index, item, error, kind, attempts: attemptsOf(tried) })
    if (settings.stopOnError === true) fail(error)
  }

  /** Handles a session that could not be opened, or failed between two tasks. */
  onSessionFailed(error: unknown, unfinishedTask: Task<Item> | undefined): void {
    const { settings, hasItemSessions, dispatcher, sessions, fail } = this.#deps
    if (isFatal(error) && !hasItemSessions) {
      fail(error)
    } else if (isAtCapacity(error) && sessions() > 0 && unfinishedTask !== undefined) {
      dispatcher.pauseOpening(Math.max(minPauseMs, retryAfterMs(error)))
      dispatcher.addFirst(unfinishedTask)
    } else if (++this.#failedOpenings > settings.retries.infrastructure + settings.size) {
      fail(error)
    } else if (unfinishedTask !== undefined) {
      this.onItemFailed(unfinishedTask, isFatal(error) ? 'page' : 'infrastructure', error)
    }
  }
}
