import { setTimeout as delay } from 'node:timers/promises'
import type { Session } from '../client/session.ts'
import type { Sessions } from '../client/sessions.ts'
import type { CreateSessionOptions } from '../contract/browser.ts'
import { isBowlineError } from '../kit/errors.ts'

/** Time limit for a free slot on a server shared with other workers, in milliseconds. */
export const capacityTimeoutMs = 180_000

const minPauseMs = 1000

/** Creates a session. Retries while the server is at its concurrency limit. */
export async function openWithRetries(sessions: Sessions, options: CreateSessionOptions): Promise<Session> {
  const deadline = performance.now() + capacityTimeoutMs
  for (;;) {
    try {
      return await sessions.create(options)
    } catch (error) {
      const isAtCapacity = isBowlineError(error) && error.code === 'CONCURRENCY_LIMIT'
      if (!isAtCapacity || performance.now() > deadline) throw error
      await delay(Math.max(minPauseMs, (error.retryAfterSeconds ?? 0) * 1000))
    }
  }
}
