import type { QueueProgress } from 'bowline/contract/queue-progress'
import { sleep } from 'bowline/kit/sleep'
import { mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { Semaphore } from '../kit/semaphore.ts'
import { findHolder } from '../profiles/lease-queries.ts'
import { isProfileLocked } from '../profiles/profile-locked.ts'
import type { Store } from '../store/store.ts'

/** Dependencies of `ProfileLines`. */
export interface ProfileLinesDeps {
  readonly store: Pick<Store, 'db'>
  /** Aborts when this server drains. */
  readonly draining: AbortSignal
}

/** A request for a session whose profile another session writes. */
export interface ProfileRequest<Result> {
  readonly teamId: string
  readonly name: string
  /** PROFILE_LOCKED, the reason why it waits. */
  readonly refusal: BowlineError
  /** Seconds that the client accepts to wait. */
  readonly waitSeconds: number
  /** Time that is left of them. */
  readonly waitMs: number
  /** Aborting ends the wait. */
  readonly signal: AbortSignal
  /** Whether an earlier request with the same idempotency key has created the session. */
  readonly isRepeated: () => Promise<boolean>
  /** Creates the session. Throws PROFILE_LOCKED if yet another session writes the profile. */
  readonly attempt: (leftMs: number) => Promise<Result>
  /** Creates the session on another server. Called when this server drains. */
  readonly handOver: (leftMs: number) => Promise<Result>
  /** Called with the first position, and when the request becomes the next one. */
  readonly onProgress?: ((progress: QueueProgress) => void) | undefined
}

/** Maximum number of requests of this server that wait for the same profile. */
const maxWaiting = 100

/** Milliseconds between two checks of a locked profile, by the first of its requests. */
const pollMs = 250

/**
 * Requests that wait until the session that writes their profile has ended. Requests for the same
 * profile on this server are served in order.
 */
export class ProfileLines {
  readonly #deps: ProfileLinesDeps
  readonly #lines = new Map<string, Semaphore>()

  constructor(deps: ProfileLinesDeps) {
    this.#deps = deps
  }

  /**
   * Waits for the profile and returns the created session. Throws PROFILE_LOCKED when the wait has
   * taken too long or too many requests wait, DRAINING, the reason of the signal, or the error of
   * the creation.
   */
  async enter<Result>(request: ProfileRequest<Result>): Promise<Result> {
    const { draining } = this.#deps
    const { teamId, name, refusal, waitSeconds, waitMs, signal, onProgress } = request
    const key = `${teamId} ${name}`
    const line = this.#lines.get(key) ?? new Semaphore(1)
    const length = line.acquired + line.waiting
    if (length >= maxWaiting) throw describe(refusal, `${maxWaiting} requests are already waiting for it`)
    this.#lines.set(key, line)
    const endMs = performance.now() + waitMs
    const timeout = AbortSignal.timeout(waitMs)
    onProgress?.({ position: length + 1, estimatedSeconds: null })
    try {
      using _turn = await line.acquire(mergeSignals(signal, draining, timeout))
      if (length > 0) onProgress?.({ position: 1, estimatedSeconds: null })
      return await this.#createInTurn(request, { endMs, signal: mergeSignals(signal, draining, timeout) })
    } catch (error) {
      signal.throwIfAborted()
      if (draining.aborted) return await request.handOver(endMs - performance.now())
      if (timeout.aborted && error === timeout.reason)
        throw describe(refusal, `It was not released within ${waitSeconds} s`)
      throw error
    } finally {
      if (line.acquired + line.waiting === 0) this.#lines.delete(key)
    }
  }

  async #createInTurn<Result>(
    { teamId, name, isRepeated, attempt }: ProfileRequest<Result>,
    { endMs, signal }: { readonly endMs: number; readonly signal: AbortSignal },
  ): Promise<Result> {
    for (;;) {
      // A session of another server ends without notice.
      const holder = await findHolder(this.#deps.store.db, { teamId, name })
      if (holder === undefined || (await isRepeated())) {
        try {
          return await attempt(endMs - performance.now())
        } catch (error) {
          if (!isProfileLocked(error)) throw error
        }
      }
      await sleep(pollMs, signal)
    }
  }
}

function describe(refusal: BowlineError, reason: string): BowlineError {
  const { details, retryAfterSeconds } = refusal
  return new BowlineError('PROFILE_LOCKED', `${refusal.message} ${reason}.`, { details, retryAfterSeconds })
}
