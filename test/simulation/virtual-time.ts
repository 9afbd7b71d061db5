import { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'

/** A process of the simulation whose timers can be stopped. */
export interface Owner {
  /** `paused`: its timers fire when it runs again. `dead`: they never fire. */
  state: 'running' | 'paused' | 'dead'
}

interface Timer {
  readonly callback: () => void
  readonly owner: Owner | undefined
  readonly everyMs: number | undefined
  readonly order: number
  dueMs: number
}

/** Handle of a virtual timer, as Node's functions return it. */
class Handle {
  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

const realImmediate = globalThis.setImmediate

/**
 * Replaces all timers and clocks of this process: time stands still until `advance` is called.
 * Nothing but the simulation can run in such a process.
 */
export class VirtualTime {
  /** Milliseconds of the monotonic clock. */
  nowMs = 0
  /** Difference between the wall clock and the monotonic clock in milliseconds. */
  wallOffsetMs = Date.UTC(2030, 0, 1)
  /** Does one step of outstanding work, such as a statement. Returns whether there was any. */
  work: () => boolean = () => false
  readonly #timers = new Map<Handle, Timer>()
  readonly #owners = new AsyncLocalStorage<Owner>()
  #order = 0

  /** Number of timers that have not fired, except those of dead processes. */
  get timers(): number {
    return [...this.#timers.values()].filter(({ owner }) => owner?.state !== 'dead').length
  }

  /** Runs a function as a process. All that it starts belongs to that process. */
  runAs<Result>(owner: Owner, run: () => Result): Result {
    return this.#owners.run(owner, run)
  }

  /** Fires all timers of the next milliseconds, in order, each after all outstanding work. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms
    for (;;) {
      await this.settle()
      const next = this.#next(untilMs)
      if (next === undefined) break
      this.#fire(...next)
    }
    this.nowMs = untilMs
  }

  /** Like `advance`, for code without promises. */
  advanceSync(ms: number): void {
    const untilMs = this.nowMs + ms
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) this.#fire(...next)
    this.nowMs = untilMs
  }

  /** Resolves when all code waits for a timer. */
  async settle(): Promise<void> {
    do await new Promise<void>((resolve) => realImmediate(resolve))
    while (this.work())
  }

  /** Drops the timers of a simulation that is over. */
  clear(): void {
    this.#timers.clear()
  }

  /** Replaces the clocks and timers. */
  install(): void {
    const add = (callback: () => void, ms: number, everyMs?: number): Handle => this.#add(callback, ms, everyMs)
    const clear = (handle: unknown): void => void this.#timers.delete(handle as Handle)
    const globals = {
      setTimeout: (callback: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
        add(() => callback(...values), ms),
      setInterval: (callback: () => void, ms = 1) => add(callback, ms, ms),
      setImmediate: (callback: () => void) => add(callback, 0),
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
    }
    Object.assign(globalThis, globals)
    const wait = async <Value>(ms = 1, value?: Value, { signal }: { signal?: AbortSignal } = {}): Promise<Value> => {
      signal?.throwIfAborted()
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          clear(handle)
          reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason }))
        }
        const handle = add(() => {
          signal?.removeEventListener('abort', onAbort)
          resolve(value as Value)
        }, ms)
        signal?.addEventListener('abort', onAbort, { once: true })
      })
    }
    Object.assign(timersPromises, { setTimeout: wait })
    syncBuiltinESMExports()
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController()
      add(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms)
      return controller.signal
    }
    performance.now = () => this.nowMs
    const wall = (): number => Math.floor(this.wallOffsetMs + this.nowMs)
    Date.now = wall
    globalThis.Date = new Proxy(Date, {
      construct: (target, values, created) =>
        Reflect.construct(target, values.length === 0 ? [wall()] : values, created),
    })
  }

  #add(callback: () => void, ms: number, everyMs: number | undefined): Handle {
    const handle = new Handle()
    this.#order += 1
    const dueMs = this.nowMs + Math.max(0, ms)
    this.#timers.set(handle, { callback, owner: this.#owners.getStore(), everyMs, order: this.#order, dueMs })
    return handle
  }

  #next(untilMs: number): readonly [Handle, Timer] | undefined {
    let first: readonly [Handle, Timer] | undefined
    for (const entry of this.#timers) {
      const [, { dueMs, order, owner }] = entry
      if (dueMs > untilMs || (owner !== undefined && owner.state !== 'running')) continue
      if (first === undefined || dueMs < first[1].dueMs || (dueMs === first[1].dueMs && order < first[1].order))
        first = entry
    }
    return first
  }

  #fire(handle: Handle, timer: Timer): void {
    this.nowMs = Math.max(this.nowMs, timer.dueMs)
    if (timer.everyMs === undefined) this.#timers.delete(handle)
    else timer.dueMs = this.nowMs + Math.max(1, timer.everyMs)
    if (timer.owner === undefined) timer.callback()
    else this.#owners.run(timer.owner, timer.callback)
  }
}
