import { createSignalDebounce } from '../kit/signal-debounce.ts'
import type { DeletionRequest, ReaperResult } from './reaper-protocol.ts'
import { createReaper, deleteAtExit, type Reaper } from './reaper.ts'

/** Calls that end a resource with this process. */
export interface ProcessEndHandlers {
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
  readonly beforeSignalExit?: () => void
}

/** Cleans up resources before this process ends. */
export interface ProcessGuard {
  /**
   * Ends the resource when this process ends, unless the result is disposed of first. Process
   * listeners exist only while there is a resource.
   */
  readonly endWithProcess: (resource: ProcessEndHandlers) => Disposable
  readonly reaper: Reaper
}

const slot = Symbol.for('bowline.process-guard.3')
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

/** Listens to signals and the exit of this process while there is a resource. */
class ListeningGuard implements ProcessGuard {
  readonly reaper = createReaper()
  readonly #resources = new Set<ProcessEndHandlers>()
  readonly #isFresh = createSignalDebounce()
  #endingBy: NodeJS.Signals | undefined

  readonly endWithProcess = (resource: ProcessEndHandlers): Disposable => {
    if (this.#resources.size === 0) process.on('exit', this.#onExit)
    this.#resources.add(resource)
    if (resource.onSignal !== undefined) this.#listen()
    return { [Symbol.dispose]: () => this.#release(resource) }
  }

  #release(resource: ProcessEndHandlers): void {
    if (!this.#resources.delete(resource)) return
    if (this.#resources.size === 0) process.off('exit', this.#onExit)
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
    const endings = [...this.#resources].toReversed().map(async (resource) => resource.onSignal?.(signal, survived))
    await Promise.race([Promise.allSettled(endings), limit.promise])
    clearTimeout(timer)
  }

  #die(signal: NodeJS.Signals): void {
    process.off(signal, this.#onSignal)
    // If the program has its own listeners, they decide.
    if (process.listenerCount(signal) > 0) return
    for (const resource of this.#resources) ignoreErrors(() => resource.beforeSignalExit?.())
    process.kill(process.pid, signal)
  }

  readonly #onExit = (): void => {
    const leftovers = [...this.#resources].toReversed()
    this.#resources.clear()
    const requests = leftovers.map((resource) => resource.deletionRequest()).filter((request) => request !== undefined)
    const results = requests.length === 0 ? [] : deleteAtExit(requests)
    for (const resource of leftovers) {
      const id = resource.deletionRequest()?.id
      resource.onExit(results.find((result) => result.id === id))
    }
  }

  #isListening(): boolean {
    return [...this.#resources].some((resource) => resource.onSignal !== undefined)
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
