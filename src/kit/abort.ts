import { isError } from './is-error.ts'
/** Mixed into the options of everything that waits. */
export interface Abortable {
  /** Aborting stops the wait and rejects with the signal's reason. Each function says what becomes of work in flight. */
  readonly signal?: AbortSignal | undefined
}

/** One signal for a caller's signal and a time limit, either of which may be absent. */
export function signalWithTimeout(
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): AbortSignal | undefined {
  const signals = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)].filter(
    (each) => each !== undefined,
  )
  return signals.length > 1 ? AbortSignal.any(signals) : signals[0]
}

/** Throws when the signal has aborted: its reason, or `error` when that has the reason as its cause, and so says more. */
export function rethrowAbort(signal: AbortSignal, error: unknown): void {
  if (signal.aborted && isError(error) && error.cause === signal.reason) throw error
  signal.throwIfAborted()
}

/** Waits for `promise`, or rejects with the signal's reason. The work behind `promise` goes on. */
export async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise
  // Nobody waits for it any more; unhandled, its failure would end the process.
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
