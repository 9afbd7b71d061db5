import { createFreshSignalTest } from '../kit/fresh-signals.ts'
import type { DeletionRequest, ReaperResult } from './deletion-request.ts'
import { createReaperProcess, deleteAtExit, type ReaperProcess } from './reaper-process.ts'

/** Something that must not outlive this process. */
export interface Guarded {
  /**
   * Ends it, on SIGINT, SIGTERM or SIGHUP. `livesOn` resolves if the process outlives the signal, because the program
   * has a listener of its own, and never otherwise. Undefined: signals are none of its business.
   */
  readonly onSignal: ((signal: NodeJS.Signals, livesOn: Promise<void>) => Promise<unknown>) | undefined
  /** What deletes it from outside while the process exits; undefined: nothing can, or there is nothing yet. */
  readonly deletionRequest: () => DeletionRequest | undefined
  /** Called while the process exits, with what became of the deletion, if there was a ticket. Must not wait. */
  readonly onExit: (result: ReaperResult | undefined) => void
  /** Called right before a signal ends the process, when the time for `onSignal` is over. Must not wait. */
  readonly onDeath?: () => void
}

/** What this process undoes before it ends. */
export interface ProcessGuard {
  /** Guards something until the result is disposed of. Process listeners exist only while something is guarded. */
  readonly hold: (guarded: Guarded) => Disposable
  readonly reaper: ReaperProcess
}

const slot = Symbol.for('bowline.process-guard.1')
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const signalLimitMs = 8000

/** The guard of this process. There is one however many clients or copies of this package run: signals come only once. */
export function processGuard(): ProcessGuard {
  const holder = process as unknown as Record<symbol, ProcessGuard | undefined>
  holder[slot] ??= new ListeningGuard()
  return holder[slot]
}

/** Listens to signals and to the exit of this process for as long as something is held. */
class ListeningGuard implements ProcessGuard {
  readonly reaper = createReaperProcess()
  readonly #held = new Set<Guarded>()
  readonly #isFresh = createFreshSignalTest()
  #leaving: NodeJS.Signals | undefined

  readonly hold = (guarded: Guarded): Disposable => {
    if (this.#held.size === 0) process.on('exit', this.#onExit)
    this.#held.add(guarded)
    if (guarded.onSignal !== undefined) this.#listen()
    return { [Symbol.dispose]: () => this.#release(guarded) }
  }

  #release(guarded: Guarded): void {
    if (!this.#held.delete(guarded)) return
    if (this.#held.size === 0) process.off('exit', this.#onExit)
    if (this.#leaving === undefined && !this.#isListening()) this.#unlisten()
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (!this.#isFresh(signal)) return
    // The second Ctrl-C of an impatient user: the reaper does the rest.
    if (this.#leaving !== undefined) return this.#die(signal)
    this.#leaving = signal
    const livesOn = Promise.withResolvers<void>()
    void this.#leave(signal, livesOn.promise).finally(() => {
      this.#leaving = undefined
      this.#unlisten()
      if (process.listenerCount(signal) === 0) return this.#die(signal)
      if (this.#isListening()) this.#listen()
      livesOn.resolve()
    })
  }

  async #leave(signal: NodeJS.Signals, livesOn: Promise<void>): Promise<void> {
    const limit = Promise.withResolvers<void>()
    const timer = setTimeout(limit.resolve, signalLimitMs)
    const endings = [...this.#held].toReversed().map(async (guarded) => guarded.onSignal?.(signal, livesOn))
    await Promise.race([Promise.allSettled(endings), limit.promise])
    clearTimeout(timer)
  }

  #die(signal: NodeJS.Signals): void {
    process.off(signal, this.#onSignal)
    // The program's own listeners decide when there are any.
    if (process.listenerCount(signal) > 0) return
    for (const guarded of this.#held) tryTo(() => guarded.onDeath?.())
    process.kill(process.pid, signal)
  }

  readonly #onExit = (): void => {
    const leftovers = [...this.#held].toReversed()
    this.#held.clear()
    const requests = leftovers.map((guarded) => guarded.deletionRequest()).filter((request) => request !== undefined)
    const results = requests.length === 0 ? [] : deleteAtExit(requests)
    for (const guarded of leftovers) {
      const id = guarded.deletionRequest()?.id
      guarded.onExit(results.find((result) => result.id === id))
    }
  }

  #isListening(): boolean {
    return [...this.#held].some((guarded) => guarded.onSignal !== undefined)
  }

  #listen(): void {
    for (const signal of signals) {
      if (!process.listeners(signal).includes(this.#onSignal)) process.on(signal, this.#onSignal)
    }
  }

  #unlisten(): void {
    for (const signal of signals) process.off(signal, this.#onSignal)
  }
}

/** What cannot be undone any more must not keep the process alive. */
function tryTo(work: () => void): void {
  try {
    work()
  } catch {
    // Nobody is left to be told.
  }
}
