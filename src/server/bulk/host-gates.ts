import { setTimeout as sleep } from 'node:timers/promises'
import { Slots } from '../../kit/slots.ts'

/** How hosts are treated. */
export interface HostManners {
  /** Pages of one host at a time. */
  readonly concurrency: number
  /** Milliseconds between the starts of two pages of one host. */
  readonly delayMs: number
}

interface Gate {
  readonly slots: Slots
  users: number
  nextAtMs: number
}

/** Keeps the pages of a host from being asked for too many at a time, or too soon. */
export class HostGates {
  readonly #manners: HostManners
  readonly #gates = new Map<string, Gate>()

  constructor(manners: HostManners) {
    this.#manners = manners
  }

  /** Waits until a page of the host may be asked for; disposing says that it was. Throws the signal's reason. */
  async enter(host: string, signal: AbortSignal): Promise<Disposable> {
    const gate = this.#gates.get(host) ?? { slots: new Slots(this.#manners.concurrency), users: 0, nextAtMs: 0 }
    this.#gates.set(host, gate)
    gate.users += 1
    await using undo = new AsyncDisposableStack()
    undo.defer(() => this.#leave(host, gate))
    undo.use(await gate.slots.take(signal))
    await this.#untilDue(gate, signal)
    const taken = undo.move()
    return { [Symbol.dispose]: () => void taken.disposeAsync() }
  }

  /** Lets nobody through to a host for a while. */
  pause(host: string, ms: number): void {
    const gate = this.#gates.get(host) ?? { slots: new Slots(this.#manners.concurrency), users: 0, nextAtMs: 0 }
    gate.nextAtMs = Math.max(gate.nextAtMs, Date.now() + ms)
    this.#gates.set(host, gate)
  }

  async #untilDue(gate: Gate, signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = gate.nextAtMs - Date.now()
      if (waitMs <= 0) break
      await sleep(waitMs, undefined, { signal })
    }
    gate.nextAtMs = Date.now() + this.#manners.delayMs
  }

  #leave(host: string, gate: Gate): void {
    gate.users -= 1
    // A host that is to be left alone is remembered until somebody has waited for it.
    if (gate.users === 0 && gate.nextAtMs <= Date.now()) this.#gates.delete(host)
  }
}
