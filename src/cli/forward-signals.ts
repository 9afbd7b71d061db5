import type { ChildProcess } from 'node:child_process'

/** The signals of this process, on their way to a child. */
export interface ForwardedSignals extends Disposable {
  /** Aborts when a signal comes before there is a child to forward it to. */
  readonly untilForwarding: AbortSignal
  /** The signal that came before there was a child. */
  readonly received: NodeJS.Signals | undefined
  /** From now on signals go to this child. */
  readonly to: (child: ChildProcess) => void
}

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

/** Takes this process's signals over until it is disposed of. */
export function forwardSignals(): ForwardedSignals {
  const stop = new AbortController()
  let child: ChildProcess | undefined
  let received: NodeJS.Signals | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    if (child === undefined) {
      received ??= signal
      stop.abort()
      return
    }
    // A terminal sends Ctrl-C and Ctrl-\ to the child as well; twice would mean something else.
    const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT')
    if (!isFromTerminal) child.kill(signal)
  }
  for (const signal of forwarded) process.on(signal, onSignal)
  return {
    untilForwarding: stop.signal,
    get received() {
      return received
    },
    to: (next) => {
      child = next
    },
    [Symbol.dispose]: () => {
      for (const signal of forwarded) process.off(signal, onSignal)
    },
  }
}
