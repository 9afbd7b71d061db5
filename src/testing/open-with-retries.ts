import { setTimeout as delay } from 'node:timers/promises'
import type { CreateOptions } from '../client/open-session.ts'
import type { QueueProgress } from '../contract/queue-progress.ts'
import type { Session } from '../client/session.ts'
import type { Sessions } from '../client/sessions.ts'
import { maxSessionWait, type CreateSessionOptions } from '../contract/session-options.ts'
import { isBowlineError, type BowlineError } from '../kit/errors.ts'

/** Time limit for a free slot on a server shared with other workers, in milliseconds. */
export const capacityTimeoutMs = 180_000

const minPauseMs = 1000

/** Callbacks of `openWithRetries`. */
export interface WaitOptions extends Pick<CreateOptions, 'onQueued'> {
  /**
   * Called once after waiting for `longWaitMs`, with the position in the queue of the server, if it
   * has one.
   */
  readonly onLongWait?: ((position: number | undefined) => void) | undefined
  /** Default: 5000. */
  readonly longWaitMs?: number | undefined
}

/**
 * Creates a session. While the server is at its concurrency limit, waits in its queue, or retries
 * if it has none.
 */
export async function openWithRetries(
  sessions: Sessions,
  options: CreateSessionOptions,
  { onQueued, onLongWait, longWaitMs = 5000 }: WaitOptions = {},
): Promise<Session> {
  const deadline = performance.now() + capacityTimeoutMs
  let { wait } = options
  let position: number | undefined
  let longWait: NodeJS.Timeout | undefined
  const startWait = (newPosition: number | undefined): void => {
    position = newPosition
    longWait ??= setTimeout(() => onLongWait?.(position), longWaitMs)
  }
  const onProgress = (progress: QueueProgress): void => {
    startWait(progress.position)
    onQueued?.(progress)
  }
  try {
    for (;;) {
      try {
        return await sessions.create({ ...options, wait }, { onQueued: onProgress })
      } catch (error) {
        const isAtCapacity = isBowlineError(error) && error.code === 'CONCURRENCY_LIMIT'
        const leftMs = deadline - performance.now()
        if (!isAtCapacity || leftMs <= 0) throw error
        const queued = findPosition(error)
        startWait(queued)
        if (wait === undefined && queued !== undefined) wait = Math.min(maxSessionWait, Math.ceil(leftMs / 1000))
        else await delay(Math.max(minPauseMs, (error.retryAfterSeconds ?? 0) * 1000))
      }
    }
  } finally {
    clearTimeout(longWait)
  }
}

/** Returns the position that a request would have had in the queue, if the server has one. */
function findPosition({ details }: BowlineError): number | undefined {
  const hasPosition = typeof details === 'object' && details !== null && 'position' in details
  return hasPosition ? Number(details.position) : undefined
}
