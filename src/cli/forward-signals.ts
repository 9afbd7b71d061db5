import type { ChildProcess } from 'node:child_process'

/** Forwards the signals of this process to a child process. */
export interface ForwardedSignals extends Disposable {
  /** Aborts when a signal arrives before a child is set. */
  readonly interrupted: AbortSignal
  /** The first signal that arrived before a child was set. */
  readonly received: NodeJS.Signals | undefined
  /** Sets the child that receives all further signals. */
  readonly forwardTo: (child: ChildProcess) => void
}

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

/** Handles the signals of this process until disposed. */
export function forwardSignals(): ForwardedSignals {
  const interruption = new AbortController()
  let child: ChildProcess | undefined
  let received: NodeJS.Signals | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    if (child === undefined) {
      received ??= signal
      interruption.abort()
      return
    }
    // A terminal also sends Ctrl-C and Ctrl-\ to the child, which must not receive them twice.
    const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT')
    if (!isFromTerminal) child.kill(signal)
  }
  for (const signal of forwarded) process.on(signal, onSignal)
  return {
    interrupted: interruption.signal,
    get received() {
      return received
    },
    forwardTo: (next) => {
      child = next
    },
    [Symbol.dispose]: () => {
      for (const signal of forwarded) process.off(signal, onSignal)
    },
  }
}
