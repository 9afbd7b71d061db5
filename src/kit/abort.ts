import { isError } from './is-error.ts'
/** Options with a signal, for every function that waits. */
export interface Abortable {
  /**
   * Rejects with the reason of the signal when it aborts. Each function documents whether work in
   * progress is cancelled.
   */
  readonly signal?: AbortSignal | undefined
}

/** Combines an optional signal and an optional time limit. */
export function signalWithTimeout(
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): AbortSignal | undefined {
  const signals = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)].filter(
    (each) => each !== undefined,
  )
  return signals.length > 1 ? AbortSignal.any(signals) : signals[0]
}

/** Throws the reason of an aborted signal, or `error` if the reason is its cause. */
export function rethrowAbort(signal: AbortSignal, error: unknown): void {
  if (signal.aborted && isError(error) && error.cause === signal.reason) throw error
  signal.throwIfAborted()
}

/**
 * Waits for `promise`, or rejects with the reason of the signal. The work behind `promise`
 * continues.
 */
export async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise
  // An unhandled rejection would end the process.
  if (signal.aborted) promise.catch(() => undefined)
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
