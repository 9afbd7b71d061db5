import { BowlineError } from '../kit/errors.ts'
import { DisposableStack } from '../kit/disposable-stack.ts'
import { longestTimerMs } from '../kit/longest-timer.ts'
import { processGuard } from './process-guard.ts'
import type { EndedBy } from './session.ts'

/** Aborts the work on a session: by the caller, a time limit, or a signal to the process. */
export interface AbortScope extends Disposable {
  readonly signal: AbortSignal
  /** Cause of the abort, or `undefined`. */
  readonly endedBy: () => EndedBy | undefined
  /**
   * Call after the session is deleted. If a signal is ending the process, the promise stays
   * pending, so that the error cannot surface first.
   */
  readonly settle: () => Promise<void>
}

/** Causes that abort the work. */
interface AbortScopeOptions {
  readonly signal: AbortSignal | undefined
  /** `undefined`: no time limit. */
  readonly timeoutMs: number | undefined
  /** Whether signals to the process abort the work. */
  readonly handleSignals: boolean
}

/** Opens the scope of one piece of work. */
export function openAbortScope({ signal, timeoutMs, handleSignals }: AbortScopeOptions): AbortScope {
  const controller = new AbortController()
  let endedBy: EndedBy | undefined
  using undo = new DisposableStack()
  const stop = (by: EndedBy, reason: unknown): void => {
    endedBy ??= by
    controller.abort(reason)
  }
  const onAbort = (): void => stop('abort', signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  undo.defer(() => signal?.removeEventListener('abort', onAbort))
  if (timeoutMs !== undefined) {
    const error = (): BowlineError => new BowlineError('TIMEOUT', `The work did not finish within ${timeoutMs} ms`)
    const timer = setTimeout(() => stop('timeout', error()), Math.min(timeoutMs, longestTimerMs))
    undo.defer(() => clearTimeout(timer))
  }
  const guard = handleSignals
    ? undo.use(abortOnSignal((name) => stop('signal', new BowlineError('ABORTED', `The process received ${name}`))))
    : undefined
  const owned = undo.move()
  return {
    signal: controller.signal,
    endedBy: () => endedBy,
    settle: async () => guard?.settle(),
    [Symbol.dispose]: () => owned.dispose(),
  }
}

interface SignalGuard extends Disposable {
  readonly settle: () => Promise<void>
}

/**
 * Calls `abort` when the process receives a signal. The exit of the process then waits until the
 * result is settled or disposed of.
 */
function abortOnSignal(abort: (name: NodeJS.Signals) => void): SignalGuard {
  const ended = Promise.withResolvers<void>()
  let processSurvived: Promise<void> | undefined
  const guard = processGuard().endWithProcess({
    onSignal: async (name, survived) => {
      processSurvived = survived
      abort(name)
      await ended.promise
    },
    deletionRequest: () => undefined,
    onExit: () => undefined,
  })
  return {
    // An uncaught rejection would end the process with an error before the signal does.
    settle: async () => {
      ended.resolve()
      await processSurvived
    },
    [Symbol.dispose]: () => {
      guard[Symbol.dispose]()
      ended.resolve()
    },
  }
}
