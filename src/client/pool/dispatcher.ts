import type { Budget } from './budget.ts'
import type { Hosts } from './hosts.ts'
import type { PoolWorker } from './pool-worker.ts'
import type { Task } from './task.ts'

/** What a dispatcher needs of its run. */
export interface DispatcherDeps<Item> {
  /** Sessions at once, at most. */
  readonly size: number
  /** Least credits of a session. */
  readonly minimum: number
  readonly budget: Budget
  readonly hosts: Hosts
  readonly workers: ReadonlySet<PoolWorker<Item>>
  readonly open: (task: Task<Item>) => void
  readonly onStart: (task: Task<Item>) => void
  /** Called when a time has come at which more may be startable. */
  readonly onTime: () => void
}

/** Whether a task was started: `later` has its time, `short` has no credits, `blocked` waits for another one to end. */
type Verdict = 'started' | 'later' | 'short' | 'blocked'

/** Decides which task goes to which session, and when a session is opened for one. */
export class Dispatcher<Item> {
  readonly #deps: DispatcherDeps<Item>
  readonly #waiting: Task<Item>[] = []
  #openAfterMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(deps: DispatcherDeps<Item>) {
    this.#deps = deps
  }

  /** Puts a task at the end, or with `isNext` in front. */
  add(task: Task<Item>, isNext = false): void {
    if (isNext) this.#waiting.unshift(task)
    else this.#waiting.push(task)
  }

  waiting(): number {
    return this.#waiting.length
  }

  /** Opens no session for so many milliseconds. */
  pauseOpening(forMs: number): void {
    this.#openAfterMs = Math.max(this.#openAfterMs, performance.now() + forMs)
  }

  /** Starts what can be started, and looks again when more can. Tells what keeps the rest waiting; `empty`: there is none. */
  dispatch(): 'waiting' | 'short' | 'empty' {
    const { workers, size, budget, minimum } = this.#deps
    if (workers.size >= size && ![...workers].some((worker) => worker.isFree())) return 'waiting'
    const waitsMs = new Map<Task<Item>, number>()
    this.#sift(waitsMs, (task) => this.#startOnFree(task))
    const pausedMs = this.#openAfterMs - performance.now()
    const verdicts = pausedMs <= 0 ? this.#sift(waitsMs, (task) => this.#startOnNew(task)) : new Set<Verdict>()
    if (this.#waiting.length === 0) return 'empty'
    this.#arm(pausedMs > 0 ? [pausedMs, ...waitsMs.values()] : waitsMs.values())
    const isPayable = verdicts.has('later') && budget.has(minimum)
    return verdicts.has('short') && !isPayable ? 'short' : 'waiting'
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /**
   * Starts the tasks that `start` can start, and keeps the others. `waitsMs`: those whose time had not come, which must be
   * looked at again even when it has come meanwhile.
   */
  #sift(waitsMs: Map<Task<Item>, number>, start: (task: Task<Item>) => Verdict): ReadonlySet<Verdict> {
    const verdicts = new Set<Verdict>()
    for (const task of this.#waiting.splice(0)) {
      const waitMs = waitsMs.get(task) ?? this.#waitMs(task)
      if (waitMs > 0) waitsMs.set(task, waitMs)
      const verdict = waitMs > 0 ? 'later' : start(task)
      verdicts.add(verdict)
      if (verdict !== 'started') this.#waiting.push(task)
    }
    return verdicts
  }

  #waitMs({ notBeforeMs, host }: Task<Item>): number {
    return Math.max(notBeforeMs - performance.now(), this.#deps.hosts.waitMs(host), 0)
  }

  #startOnFree(task: Task<Item>): Verdict {
    const worker = [...this.#deps.workers].find((each) => each.isFree() && each.sessionKey === task.sessionKey)
    if (worker === undefined) return 'blocked'
    this.#deps.onStart(task)
    worker.give(task)
    return 'started'
  }

  #startOnNew(task: Task<Item>): Verdict {
    const { workers, size, budget, minimum } = this.#deps
    const writer = task.writes === undefined ? undefined : [...workers].find((worker) => worker.writes === task.writes)
    if (writer !== undefined) {
      // It has other options, so it would wait, and hold the profile, for nothing.
      if (writer.isFree()) writer.retire('idle')
      return 'blocked'
    }
    if (workers.size >= size) {
      this.#makeRoom()
      return 'blocked'
    }
    if (!budget.has(task.leastCredits) || !budget.tryReserve(minimum)) return 'short'
    this.#deps.onStart(task)
    this.#deps.open(task)
    return 'started'
  }

  #makeRoom(): void {
    const workers = [...this.#deps.workers]
    // No task that can start waits for a free one, or it would not be free.
    if (!workers.some((worker) => worker.isRetiring())) workers.find((worker) => worker.isFree())?.retire('idle')
  }

  #arm(waitsMs: Iterable<number>): void {
    clearTimeout(this.#timer)
    let soonestMs = Infinity
    for (const waitMs of waitsMs) soonestMs = Math.min(soonestMs, waitMs)
    if (soonestMs !== Infinity) this.#timer = setTimeout(this.#deps.onTime, Math.ceil(soonestMs))
  }
}
