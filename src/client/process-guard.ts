import { createSignalDebounce } from '../kit/signal-debounce.ts'
import type { DeletionRequest, ReaperResult } from './reaper-protocol.ts'
import { createReaper, deleteAtExit, type Reaper } from './reaper.ts'

/** A resource that must not outlive this process. */
export interface GuardedResource {
  /**
   * Ends the resource on SIGINT, SIGTERM or SIGHUP. `survived` resolves if the process survives the
   * signal, because the program has its own listener; otherwise it never resolves. `undefined`: the
   * resource ignores signals.
   */
  readonly onSignal: ((signal: NodeJS.Signals, survived: Promise<void>) => Promise<unknown>) | undefined
  /**
   * Returns the request that deletes it while the process exits, or `undefined` if there is nothing
   * to delete.
   */
  readonly deletionRequest: () => DeletionRequest | undefined
  /**
   * Called while the process exits, with the result of the deletion if there was a request. Must be
   * synchronous.
   */
  readonly onExit: (result: ReaperResult | undefined) => void
  /**
   * Called right before a signal ends the process, once the time limit of `onSignal` has passed.
   * Must be synchronous.
   */
  readonly onKill?: () => void
}

/** Cleans up resources before this process ends. */
export interface ProcessGuard {
  /**
   * Guards a resource until the result is disposed of. Process listeners exist only while a
   * resource is guarded.
   */
  readonly guard: (guarded: GuardedResource) => Disposable
  readonly reaper: Reaper
}

const slot = Symbol.for('bowline.process-guard.1')
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const signalLimitMs = 8000

/**
 * Returns the guard of this process. Signals arrive only once per process, so all clients and all
 * copies of this package share one guard.
 */
export function processGuard(): ProcessGuard {
  const holder = process as unknown as Record<symbol, ProcessGuard | undefined>
  holder[slot] ??= new ListeningGuard()
  return holder[slot]
}

/** Listens to signals and the exit of this process while any resource is guarded. */
class ListeningGuard implements ProcessGuard {
  readonly reaper = createReaper()
  readonly #guarded = new Set<GuardedResource>()
  readonly #isFresh = createSignalDebounce()
  #endingBy: NodeJS.Signals | undefined

  readonly guard = (guarded: GuardedResource): Disposable => {
    if (this.#guarded.size === 0) process.on('exit', this.#onExit)
    this.#guarded.add(guarded)
    if (guarded.onSignal !== undefined) this.#listen()
    return { [Symbol.dispose]: () => this.#release(guarded) }
  }

  #release(guarded: GuardedResource): void {
    if (!this.#guarded.delete(guarded)) return
    if (this.#guarded.size === 0) process.off('exit', this.#onExit)
    if (this.#endingBy === undefined && !this.#isListening()) this.#unlisten()
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (!this.#isFresh(signal)) return
    // A second Ctrl-C exits at once. The reaper deletes the sessions.
    if (this.#endingBy !== undefined) return this.#die(signal)
    this.#endingBy = signal
    const survived = Promise.withResolvers<void>()
    void this.#endAll(signal, survived.promise).finally(() => {
      this.#endingBy = undefined
      this.#unlisten()
      if (process.listenerCount(signal) === 0) return this.#die(signal)
      if (this.#isListening()) this.#listen()
      survived.resolve()
    })
  }

  async #endAll(signal: NodeJS.Signals, survived: Promise<void>): Promise<void> {
    const limit = Promise.withResolvers<void>()
    const timer = setTimeout(limit.resolve, signalLimitMs)
    const endings = [...this.#guarded].toReversed().map(async (guarded) => guarded.onSignal?.(signal, survived))
    await Promise.race([Promise.allSettled(endings), limit.promise])
    clearTimeout(timer)
  }

  #die(signal: NodeJS.Signals): void {
    process.off(signal, this.#onSignal)
    // If the program has its own listeners, they decide.
    if (process.listenerCount(signal) > 0) return
    for (const guarded of this.#guarded) ignoreErrors(() => guarded.onKill?.())
    process.kill(process.pid, signal)
  }

  readonly #onExit = (): void => {
    const leftovers = [...this.#guarded].toReversed()
    this.#guarded.clear()
    const requests = leftovers.map((guarded) => guarded.deletionRequest()).filter((request) => request !== undefined)
    const results = requests.length === 0 ? [] : deleteAtExit(requests)
    for (const guarded of leftovers) {
      const id = guarded.deletionRequest()?.id
      guarded.onExit(results.find((result) => result.id === id))
    }
  }

  #isListening(): boolean {
    return [...this.#guarded].some((guarded) => guarded.onSignal !== undefined)
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

/** Ignores errors: cleanup that fails must not keep the process alive. */
function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {
    // The process is ending, so there is nowhere to report this.
  }
}
