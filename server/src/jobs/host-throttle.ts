import { setTimeout as sleep } from 'node:timers/promises'
import { Semaphore } from '../kit/semaphore.ts'

/** How hosts are treated. */
export interface HostLimits {
  /** Pages of one host at a time. */
  readonly concurrency: number
  /** Milliseconds between the starts of two pages of one host. */
  readonly delayMs: number
  /** How many servers share these limits. Default: one. */
  readonly servers?: (() => Promise<number>) | undefined
}

interface Gate {
  readonly slots: Semaphore
  users: number
  nextAtMs: number
}

/**
 * Keeps the pages of a host from being asked for too many at a time, or too soon. Each of several servers keeps to its
 * part of the limits, and to one page at a time at least.
 */
export class HostThrottle {
  readonly #limits: HostLimits
  #servers = 1
  readonly #throttle = new Map<string, Gate>()

  constructor(limits: HostLimits) {
    this.#limits = limits
  }

  /** Waits until a page of the host may be asked for; disposing says that it was. Throws the signal's reason. */
  async acquireSlot(host: string, signal: AbortSignal): Promise<Disposable> {
    this.#servers = (await this.#limits.servers?.()) ?? 1
    const gate = this.#gateOf(host)
    gate.users += 1
    await using undo = new AsyncDisposableStack()
    undo.defer(() => this.#leave(host, gate))
    undo.use(await gate.slots.acquire(signal))
    await this.#untilDue(gate, signal)
    const taken = undo.move()
    return { [Symbol.dispose]: () => void taken.disposeAsync() }
  }

  /** Lets nobody through to a host for a while. */
  pause(host: string, ms: number): void {
    const gate = this.#gateOf(host)
    gate.nextAtMs = Math.max(gate.nextAtMs, performance.now() + ms)
  }

  #gateOf(host: string): Gate {
    const places = (): number => Math.max(1, Math.floor(this.#limits.concurrency / this.#servers))
    const gate = this.#throttle.get(host) ?? { slots: new Semaphore(places), users: 0, nextAtMs: 0 }
    this.#throttle.set(host, gate)
    return gate
  }

  async #untilDue(gate: Gate, signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = gate.nextAtMs - performance.now()
      if (waitMs <= 0) break
      await sleep(waitMs, undefined, { signal })
    }
    gate.nextAtMs = performance.now() + this.#limits.delayMs * this.#servers
  }

  #leave(host: string, gate: Gate): void {
    gate.users -= 1
    // A host that is to be left alone is remembered until somebody has waited for it.
    if (gate.users === 0 && gate.nextAtMs <= performance.now()) this.#throttle.delete(host)
  }
}
