import type { Budget } from './budget.ts'
import type { Hosts } from './hosts.ts'
import type { Lane } from './lane.ts'
import type { Task } from './task.ts'

/** What a dispatcher needs of its run. */
export interface DispatcherParts<Item> {
  /** Sessions at once, at most. */
  readonly size: number
  /** Least credits of a session. */
  readonly minimum: number
  readonly budget: Budget
  readonly hosts: Hosts
  readonly lanes: ReadonlySet<Lane<Item>>
  readonly open: (task: Task<Item>) => void
  readonly onStart: (task: Task<Item>) => void
  /** Called when a time has come at which more may be startable. */
  readonly onTime: () => void
}

/** Whether a task was started: `later` has its time, `short` has no credits, `blocked` waits for another one to end. */
type Verdict = 'started' | 'later' | 'short' | 'blocked'

/** Decides which task goes to which session, and when a session is opened for one. */
export class Dispatcher<Item> {
  readonly #parts: DispatcherParts<Item>
  readonly #waiting: Task<Item>[] = []
  #openAfterMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(parts: DispatcherParts<Item>) {
    this.#parts = parts
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
    const { lanes, size, budget, minimum } = this.#parts
    if (lanes.size >= size && ![...lanes].some((lane) => lane.isFree())) return 'waiting'
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
    return Math.max(notBeforeMs - performance.now(), this.#parts.hosts.waitMs(host), 0)
  }

  #startOnFree(task: Task<Item>): Verdict {
    const lane = [...this.#parts.lanes].find((each) => each.isFree() && each.sessionKey === task.sessionKey)
    if (lane === undefined) return 'blocked'
    this.#parts.onStart(task)
    lane.give(task)
    return 'started'
  }

  #startOnNew(task: Task<Item>): Verdict {
    const { lanes, size, budget, minimum } = this.#parts
    const writer = task.writes === undefined ? undefined : [...lanes].find((lane) => lane.writes === task.writes)
    if (writer !== undefined) {
      // It has other options, so it would wait, and hold the profile, for nothing.
      if (writer.isFree()) writer.retire('idle')
      return 'blocked'
    }
    if (lanes.size >= size) {
      this.#makeRoom()
      return 'blocked'
    }
    if (!budget.has(task.leastCredits) || !budget.tryReserve(minimum)) return 'short'
    this.#parts.onStart(task)
    this.#parts.open(task)
    return 'started'
  }

  #makeRoom(): void {
    const lanes = [...this.#parts.lanes]
    // No task that can start waits for a free one, or it would not be free.
    if (!lanes.some((lane) => lane.isRetiring())) lanes.find((lane) => lane.isFree())?.retire('idle')
  }

  #arm(waitsMs: Iterable<number>): void {
    clearTimeout(this.#timer)
    let soonestMs = Infinity
    for (const waitMs of waitsMs) soonestMs = Math.min(soonestMs, waitMs)
    if (soonestMs !== Infinity) this.#timer = setTimeout(this.#parts.onTime, Math.ceil(soonestMs))
  }
}
