import type { Budget } from './budget.ts'
import type { HostLimits } from './host-limits.ts'
import type { PoolWorker } from './pool-worker.ts'
import type { Task } from './task.ts'

/** Dependencies of a dispatcher. */
export interface DispatcherDeps<Item> {
  /** Maximum number of concurrent sessions. */
  readonly size: number
  /** Minimum price of a session in credits. */
  readonly minimum: number
  readonly budget: Budget
  readonly hosts: HostLimits
  readonly workers: ReadonlySet<PoolWorker<Item>>
  readonly open: (task: Task<Item>) => void
  readonly onStart: (task: Task<Item>) => void
  /** Called when a delay has passed, so that more tasks may be ready. */
  readonly onDelayOver: () => void
}

/**
 * Result of trying to start a task. `later`: its delay has not passed. `budget`: too few credits.
 * `blocked`: another task must end first.
 */
type StartResult = 'started' | 'later' | 'budget' | 'blocked'

/** Assigns tasks to sessions, and opens sessions for them. */
export class Dispatcher<Item> {
  readonly #deps: DispatcherDeps<Item>
  readonly #waiting: Task<Item>[] = []
  #openAfterMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(deps: DispatcherDeps<Item>) {
    this.#deps = deps
  }

  /** Queues a task behind all others. */
  add(task: Task<Item>): void {
    this.#waiting.push(task)
  }

  /** Queues a task before all others. */
  addFirst(task: Task<Item>): void {
    this.#waiting.unshift(task)
  }

  waiting(): number {
    return this.#waiting.length
  }

  /** Opens no sessions for `forMs` milliseconds. */
  pauseOpening(forMs: number): void {
    this.#openAfterMs = Math.max(this.#openAfterMs, performance.now() + forMs)
  }

  /**
   * Starts all tasks that can start now. Returns `empty` if no task is left, `budget` if the
   * remaining tasks cannot be paid for, and `waiting` otherwise.
   */
  dispatch(): 'waiting' | 'budget' | 'empty' {
    const { workers, size, budget, minimum } = this.#deps
    if (workers.size >= size && ![...workers].some((worker) => worker.isFree())) return 'waiting'
    const waitsMs = new Map<Task<Item>, number>()
    this.#startEach(waitsMs, (task) => this.#startOnFree(task))
    const pausedMs = this.#openAfterMs - performance.now()
    const results = pausedMs <= 0 ? this.#startEach(waitsMs, (task) => this.#startOnNew(task)) : new Set<StartResult>()
    if (this.#waiting.length === 0) return 'empty'
    this.#schedule(pausedMs > 0 ? [pausedMs, ...waitsMs.values()] : waitsMs.values())
    const isPayable = results.has('later') && budget.has(minimum)
    return results.has('budget') && !isPayable ? 'budget' : 'waiting'
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /**
   * Calls `start` for each task whose delay has passed, and keeps the tasks that it does not start.
   * `waitsMs` collects the remaining delays. A task in `waitsMs` is not started in this round, even
   * if its delay passes during the round: its timer starts it.
   */
  #startEach(waitsMs: Map<Task<Item>, number>, start: (task: Task<Item>) => StartResult): ReadonlySet<StartResult> {
    const results = new Set<StartResult>()
    for (const task of this.#waiting.splice(0)) {
      const waitMs = waitsMs.get(task) ?? this.#waitMs(task)
      if (waitMs > 0) waitsMs.set(task, waitMs)
      const result = waitMs > 0 ? 'later' : start(task)
      results.add(result)
      if (result !== 'started') this.#waiting.push(task)
    }
    return results
  }

  #waitMs({ notBeforeMs, host }: Task<Item>): number {
    return Math.max(notBeforeMs - performance.now(), this.#deps.hosts.waitMs(host), 0)
  }

  #startOnFree(task: Task<Item>): StartResult {
    const worker = [...this.#deps.workers].find((each) => each.isFree() && each.sessionKey === task.sessionKey)
    if (worker === undefined) return 'blocked'
    this.#deps.onStart(task)
    worker.assign(task)
    return 'started'
  }

  #startOnNew(task: Task<Item>): StartResult {
    const { workers, size, budget, minimum } = this.#deps
    const writer =
      task.profileToWrite === undefined
        ? undefined
        : [...workers].find((worker) => worker.profileToWrite === task.profileToWrite)
    if (writer !== undefined) {
      // An idle session with other options holds the profile: end it, so that this task can start.
      if (writer.isFree()) writer.retire('idle')
      return 'blocked'
    }
    if (workers.size >= size) {
      this.#retireOne()
      return 'blocked'
    }
    if (!budget.has(task.minCredits) || !budget.tryReserve(minimum)) return 'budget'
    this.#deps.onStart(task)
    this.#deps.open(task)
    return 'started'
  }

  #retireOne(): void {
    const workers = [...this.#deps.workers]
    // Waiting tasks cannot use a free session, since `#startOnFree` ran first. One such session is
    // ended to make room.
    if (!workers.some((worker) => worker.isRetiring())) workers.find((worker) => worker.isFree())?.retire('idle')
  }

  #schedule(waitsMs: Iterable<number>): void {
    clearTimeout(this.#timer)
    let soonestMs = Infinity
    for (const waitMs of waitsMs) soonestMs = Math.min(soonestMs, waitMs)
    if (soonestMs !== Infinity) this.#timer = setTimeout(this.#deps.onDelayOver, Math.ceil(soonestMs))
  }
}
