import type { ChildProcess } from 'node:child_process'

/** Forwards the signals of this process to a child process. */
export interface ForwardedSignals extends Disposable {
  /** Aborts when a signal arrives before a child is set. */
  readonly untilForwarding: AbortSignal
  /** The first signal that arrived before a child was set. */
  readonly received: NodeJS.Signals | undefined
  /** Sets the child that receives all further signals. */
  readonly to: (child: ChildProcess) => void
}

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

/** Handles the signals of this process until disposed. */
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
    // A terminal also sends Ctrl-C and Ctrl-\ to the child, which must not receive them twice.
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
