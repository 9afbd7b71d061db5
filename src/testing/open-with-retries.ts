import { setTimeout as delay } from 'node:timers/promises'
import type { Session } from '../client/session.ts'
import type { Sessions } from '../client/sessions.ts'
import type { CreateSessionOptions } from '../contract/browser.ts'
import { isBowlineError } from '../kit/errors.ts'

/** Milliseconds to wait for room on a server that other workers and shards use, too. */
export const patienceMs = 180_000

const leastPauseMs = 1000

/** Creates a session, and waits while the service has no room for another one. */
export async function openWithRetries(sessions: Sessions, options: CreateSessionOptions): Promise<Session> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await sessions.create(options)
    } catch (error) {
      const isCrowded = isBowlineError(error) && error.code === 'CONCURRENCY_LIMIT'
      if (!isCrowded || performance.now() > deadline) throw error
      await delay(Math.max(leastPauseMs, (error.retryAfterSeconds ?? 0) * 1000))
    }
  }
}
