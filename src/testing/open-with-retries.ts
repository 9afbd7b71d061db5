import { setTimeout as delay } from 'node:timers/promises'
import type { CreateOptions } from '../client/open-session.ts'
import type { Session } from '../client/session.ts'
import type { Sessions } from '../client/sessions.ts'
import { maxSessionWait, type CreateSessionOptions } from '../contract/session-options.ts'
import { isBowlineError, type BowlineError } from '../kit/errors.ts'

/** Time limit for a free slot on a server shared with other workers, in milliseconds. */
export const capacityTimeoutMs = 180_000

const minPauseMs = 1000

/**
 * Creates a session. While the server is at its concurrency limit, waits in its queue, or retries
 * if it has none.
 */
export async function openWithRetries(
  sessions: Sessions,
  options: CreateSessionOptions,
  { onQueued }: Pick<CreateOptions, 'onQueued'> = {},
): Promise<Session> {
  const deadline = performance.now() + capacityTimeoutMs
  let { wait } = options
  for (;;) {
    try {
      return await sessions.create({ ...options, wait }, { onQueued })
    } catch (error) {
      const isAtCapacity = isBowlineError(error) && error.code === 'CONCURRENCY_LIMIT'
      const leftMs = deadline - performance.now()
      if (!isAtCapacity || leftMs <= 0) throw error
      if (wait === undefined && hasQueue(error)) wait = Math.min(maxSessionWait, Math.ceil(leftMs / 1000))
      else await delay(Math.max(minPauseMs, (error.retryAfterSeconds ?? 0) * 1000))
    }
  }
}

/** Whether the server has a queue: it then reports the position that the request would have had. */
function hasQueue({ details }: BowlineError): boolean {
  return typeof details === 'object' && details !== null && 'position' in details
}
