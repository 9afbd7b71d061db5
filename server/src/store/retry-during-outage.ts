import { sleep } from 'bowline/kit/sleep'
import { isStoreUnavailable } from './unavailable.ts'

/** How long to retry. */
export interface RetryOptions {
  /** Stops retrying. */
  readonly signal: AbortSignal
  /** Milliseconds between two attempts. */
  readonly everyMs: number
  /** Milliseconds after which the last error is thrown. Default: no limit. */
  readonly maxMs?: number | undefined
  /** Whether there is one last attempt when the signal aborts. Default: false. */
  readonly hasLastAttempt?: boolean | undefined
}

/**
 * Repeats work that can be repeated, while the database does not respond. Throws other errors, and
 * the reason of the signal unless there is a last attempt.
 */
export async function retryDuringOutage<Result>(
  work: () => Promise<Result>,
  { signal, everyMs, maxMs = Infinity, hasLastAttempt = false }: RetryOptions,
): Promise<Result> {
  const giveUpAt = performance.now() + maxMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isLast = performance.now() > giveUpAt || (hasLastAttempt && signal.aborted)
      if (!isStoreUnavailable(error) || isLast) throw error
    }
    await sleep(everyMs, signal).catch((reason: unknown) => {
      if (!hasLastAttempt) throw reason
    })
  }
}
