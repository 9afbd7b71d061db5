import { isError } from './is-error.ts'

/**
 * Options with a signal, for every function that waits.
 *
 * @example
 * ```ts
 * import { Bowline, type Abortable } from 'bowline'
 *
 * const options: Abortable = { signal: AbortSignal.timeout(30_000) }
 * const { markdown } = await new Bowline().scrape('https://example.com', {}, options)
 * ```
 */
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
  return mergeSignals(signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs))
}

/**
 * Returns a signal that aborts with the first of the given ones, for the same reason. Ignores
 * `undefined`, and returns a single signal unchanged.
 */
export function mergeSignals(first: AbortSignal, ...others: readonly (AbortSignal | undefined)[]): AbortSignal
export function mergeSignals(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined
export function mergeSignals(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((each) => each !== undefined)
  return given.length > 1 ? AbortSignal.any(given) : given[0]
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
