import type { ChildProcess } from 'node:child_process'
import { createSignalDebounce } from '../kit/signal-debounce.ts'
import { printNote } from '../terminal/print.ts'

/** Forwards the signals of this process to a child process. */
export interface ForwardedSignals extends Disposable {
  /** Aborts when a signal arrives before a child is set. */
  readonly interrupted: AbortSignal
  /** The first signal that arrived before a child was set. */
  readonly received: NodeJS.Signals | undefined
  /**
   * Sets the child that receives all further signals. After its end, the first signal prints a note
   * and the second one ends this process.
   */
  readonly forwardTo: (child: ChildProcess) => void
}

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

/** Handles the signals of this process until disposed. */
export function forwardSignals(): ForwardedSignals {
  const interruption = new AbortController()
  let child: ChildProcess | undefined
  let received: NodeJS.Signals | undefined
  let isImpatient = false
  const isFresh = createSignalDebounce()
  const stop = (): void => {
    for (const signal of forwarded) process.off(signal, onSignal)
  }
  const onLateSignal = (signal: NodeJS.Signals): void => {
    if (!isImpatient) {
      isImpatient = true
      return printNote(`${signal}: deleting the session; a second signal exits at once, and the reaper deletes it`)
    }
    stop()
    process.kill(process.pid, signal)
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    const isRepeated = !isFresh(signal)
    if (child === undefined) {
      received ??= signal
      interruption.abort()
      return
    }
    if (hasEnded(child)) {
      if (!isRepeated && !signal.startsWith('SIGUSR')) onLateSignal(signal)
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
    [Symbol.dispose]: stop,
  }
}

/** Whether a child has exited, or could not be started. */
function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}
