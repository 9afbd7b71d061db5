/** Options of `runEvery`. */
export interface RunEveryOptions {
  readonly onError: (error: unknown) => void
  /** Also run at once, before the first interval has passed. Default: `false`. */
  readonly isImmediate?: boolean | undefined
}

/**
 * Runs `work` every `intervalMs` milliseconds. Runs never overlap: an interval that ends during a
 * run is skipped. Disposing waits for the current run. Does not keep the process alive.
 */
export function runEvery(
  intervalMs: number,
  work: () => Promise<unknown>,
  { onError, isImmediate = false }: RunEveryOptions,
): AsyncDisposable {
  let running: Promise<void> | undefined
  const run = (): void => {
    running ??= work()
      .then(() => undefined, onError)
      .finally(() => {
        running = undefined
      })
  }
  const timer = setInterval(run, intervalMs).unref()
  if (isImmediate) run()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await running
    },
  }
}
