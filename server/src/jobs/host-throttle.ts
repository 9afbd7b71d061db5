import { sleep } from 'bowline/kit/sleep'
import { Semaphore } from '../kit/semaphore.ts'

/** Limits for each host. */
export interface HostLimits {
  /** Maximum number of concurrent pages of one host. */
  readonly concurrency: number
  /** Milliseconds between the starts of two pages of one host. */
  readonly delayMs: number
  /** Number of servers that share these limits. Default: 1. */
  readonly servers?: (() => Promise<number>) | undefined
}

interface HostState {
  readonly slots: Semaphore
  users: number
  nextAtMs: number
}

/**
 * Limits concurrency and request rate for each host. If several servers share the limits, each
 * keeps to its fraction, with at least one page at a time.
 */
export class HostThrottle {
  readonly #limits: HostLimits
  #servers = 1
  readonly #hosts = new Map<string, HostState>()

  constructor(limits: HostLimits) {
    this.#limits = limits
  }

  /**
   * Waits until a page of the host may be requested. Dispose the slot after the request. Throws the
   * signal's reason.
   */
  async acquireSlot(host: string, signal: AbortSignal): Promise<Disposable> {
    this.#servers = (await this.#limits.servers?.()) ?? 1
    const state = this.#stateOf(host)
    state.users += 1
    using undo = new DisposableStack()
    undo.defer(() => this.#release(host, state))
    undo.use(await state.slots.acquire(signal))
    await this.#waitForTurn(state, signal)
    return undo.move()
  }

  /** Pauses requests to a host for `ms` milliseconds. */
  pause(host: string, ms: number): void {
    const state = this.#stateOf(host)
    state.nextAtMs = Math.max(state.nextAtMs, performance.now() + ms)
  }

  #stateOf(host: string): HostState {
    const concurrency = (): number => Math.max(1, Math.floor(this.#limits.concurrency / this.#servers))
    const state = this.#hosts.get(host) ?? { slots: new Semaphore(concurrency), users: 0, nextAtMs: 0 }
    this.#hosts.set(host, state)
    return state
  }

  async #waitForTurn(state: HostState, signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = state.nextAtMs - performance.now()
      if (waitMs <= 0) break
      await sleep(waitMs, signal)
    }
    state.nextAtMs = performance.now() + this.#limits.delayMs * this.#servers
  }

  #release(host: string, state: HostState): void {
    state.users -= 1
    // A paused host is kept until a later request has waited for it.
    if (state.users === 0 && state.nextAtMs <= performance.now()) this.#hosts.delete(host)
  }
}
