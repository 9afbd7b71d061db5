import { exitCodeOfSignal } from '../terminal/exit-codes.ts'

/** Ends a command at the first SIGINT or SIGTERM. A second signal ends the process at once. */
export interface SignalStop extends Disposable {
  /** Aborts when the first signal arrives. */
  readonly signal: AbortSignal
  /** Exit code that shells use for that signal, such as 130 for Ctrl-C. */
  readonly exitCode: number | undefined
}

/** Handles SIGINT and SIGTERM of this process until disposed. */
export function abortOnSignals(): SignalStop {
  const stop = new AbortController()
  let exitCode: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    exitCode ??= exitCodeOfSignal(signal)
    stop.abort(new Error('Cancelled'))
  }
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  return {
    signal: stop.signal,
    get exitCode() {
      return exitCode
    },
    [Symbol.dispose]: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  }
}
