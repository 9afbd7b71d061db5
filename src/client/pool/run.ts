import { setTimeout as delay } from 'node:timers/promises'
import { BowlineError, isBowlineError } from '../../kit/errors.ts'
import type { Session } from '../session.ts'
import type { WithSessionDeps } from '../with-session.ts'
import type { PoolFunction } from './attempt.ts'
import { createBudget, type Budget } from './budget.ts'
import { openCheckpoint, type Checkpoint } from './checkpoint.ts'
import { Dispatcher } from './dispatcher.ts'
import { isCrowded, isHopeless, retryAfterMs } from './failure-kind.ts'
import { createHosts } from './hosts.ts'
import { createInputQueue, type InputQueue } from './input-queue.ts'
import { openPoolWorker, type PoolWorker, type PoolWorkerEnd } from './pool-worker.ts'
import type { PoolSettings } from './options.ts'
import { createResultQueue, type ResultQueue } from './result-queue.ts'
import type { FailureKind, ItemOutcome, PoolProgress, PoolSummary } from './outcome.ts'
import { retryDelayMs, withFailure } from './retry-policy.ts'
import type { Completed } from './completed.ts'
import { spentBefore } from './spent-before.ts'
import { createProgressTracker, type ProgressTracker } from './progress-tracker.ts'
import { attemptsOf, createTask, keyOf, type ItemOptions, type Task } from './task.ts'

/** What a run is made of. */
export interface RunDeps<Item, Result, Handles> {
  readonly client: WithSessionDeps
  readonly settings: PoolSettings<Handles>
  readonly items: Iterable<Item> | AsyncIterable<Item>
  readonly work: PoolFunction<Item, Result, Handles>
  readonly itemOptions: ItemOptions<Item>
}

const leastLookahead = 100
const leastPauseMs = 1000

/** One run of a pool: from its items to their outcomes. */
export class Run<Item, Result, Handles> {
  readonly #deps: RunDeps<Item, Result, Handles>
  readonly #workers = new Set<PoolWorker<Item>>()
  readonly #hosts: ReturnType<typeof createHosts>
  readonly #tracker: ProgressTracker
  readonly #inputs: InputQueue<Item>
  readonly #results: ResultQueue<ItemOutcome<Item, Awaited<Result>>>
  readonly #stopping = new AbortController()
  readonly #workersDone = Promise.withResolvers<void>()
  #begun: Promise<void> | undefined
  #closed: Promise<void> | undefined
  #stoppedBy: PoolSummary['stoppedBy'] = 'return'
  #running = 0
  #failedOpenings = 0
  #checkpoint: Checkpoint | undefined
  #budget: Budget | undefined
  #dispatcher: Dispatcher<Item> | undefined

  /** Prepares a run, which begins with the first call of `next`. Throws CONFIG_INVALID when `items` cannot be iterated. */
  constructor(deps: RunDeps<Item, Result, Handles>) {
    const { settings, items, itemOptions } = deps
    const highWater = Math.max(leastLookahead, settings.size * 10)
    this.#deps = deps
    this.#hosts = createHosts(settings.perHost)
    this.#tracker = createProgressTracker({
      budget: () => this.#budget,
      waiting: () => this.#dispatcher?.waiting() ?? 0,
      running: () => this.#running,
      sessions: () => this.#workers.size,
      onProgress: settings.onProgress,
    })
    this.#results = createResultQueue({ order: settings.order, highWater, onRead: () => this.#inputs.pull() })
    this.#inputs = createInputQueue(items, {
      keyOf: (item) => keyOf(item, itemOptions),
      hasRoom: () =>
        this.#closed === undefined && !this.#results.isFull() && (this.#dispatcher?.waiting() ?? 0) < highWater,
      onItem: (item, index) => this.#take(createTask(item, index, settings.session, itemOptions)),
      onEnd: () => this.#dispatch(),
      onError: (error) => this.#fail(error),
    })
  }

  /** The next outcome, or undefined at the end. Rejects with what made the run fail, once its sessions are gone. */
  async next(): Promise<ItemOutcome<Item, Awaited<Result>> | undefined> {
    this.#begun ??= this.#begin().catch((error: unknown) => this.#fail(error))
    await this.#begun
    return this.#results.next()
  }

  progress(): PoolProgress {
    return this.#tracker.progress()
  }

  summary(): PoolSummary {
    const { done, failed, resumed, retried, credits, elapsedMs } = this.progress()
    const sessions = this.#tracker.opened()
    return { done, failed, resumed, retried, sessions, credits, elapsedMs, stoppedBy: this.#stoppedBy }
  }

  /** Ends the run and its sessions, and waits until they are gone. */
  async stop(): Promise<void> {
    if (this.#begun === undefined) return
    await this.#begun
    this.#stopping.abort(new BowlineError('ABORTED', 'The results of the pool are not read any more'))
    this.#close('return')
    await this.#closed
  }

  async #begin(): Promise<void> {
    const { client, settings } = this.#deps
    const { signal, checkpoint: path, price } = settings
    signal?.throwIfAborted()
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    const checkpoint = path === undefined ? undefined : await openCheckpoint(path)
    // Aborted meanwhile, so nobody else would close it.
    if (this.#closed !== undefined) return checkpoint?.[Symbol.asyncDispose]()
    this.#checkpoint = checkpoint
    const spent =
      this.#checkpoint === undefined ? 0 : await spentBefore(this.#checkpoint, client.sessions, price, { signal })
    this.#budget = createBudget(settings.budget, spent)
    this.#dispatcher = new Dispatcher({
      size: settings.size,
      minimum: price.minimum,
      budget: this.#budget,
      hosts: this.#hosts,
      workers: this.#workers,
      open: (task) => this.#open(task),
      onStart: (task) => {
        this.#running += 1
        this.#hosts.start(task.host)
      },
      onTime: () => this.#dispatch(),
    })
    this.#inputs.pull()
  }

  readonly #onAbort = (): void => this.#fail(this.#deps.settings.signal?.reason)

  /** Starts what can start, and ends the run when there is nothing left, or nothing left to pay with. */
  #dispatch(): void {
    if (this.#closed !== undefined || this.#dispatcher === undefined) return
    this.#inputs.pull()
    const state = this.#dispatcher.dispatch()
    if (state === 'empty' && this.#running === 0 && this.#inputs.isDone()) this.#close('end')
    if (state === 'short' && this.#workers.size === 0) this.#close('budget')
  }

  #take(task: Task<Item>): void {
    const before = this.#checkpoint?.find(task.key)
    if (before === undefined) {
      this.#dispatcher?.add(task)
      return this.#dispatch()
    }
    const { attempts, durationMs } = before
    const result = before.result as Awaited<Result>
    const facts = { index: task.index, item: task.item, attempts, durationMs }
    this.#deliver({ ...facts, state: 'done', result, isResumed: true })
  }

  #open(task: Task<Item>): void {
    const { client, settings, work } = this.#deps
    if (this.#budget === undefined) return
    const worker = openPoolWorker<Item, Result, Handles>(
      {
        client,
        settings,
        work,
        budget: this.#budget,
        signal: this.#stopping.signal,
        add: (item) => this.#closed === undefined && this.#inputs.add(item),
        onCreated: ({ id }) => this.#keep((checkpoint) => checkpoint.addSession(id)),
        onOpened: (session) => this.#onOpened(session),
        onBilled: ({ sessionId, creditsBilled: credits }) => {
          if (credits !== undefined) this.#keep((checkpoint) => checkpoint.addBill(sessionId, credits))
        },
        // Else its other sessions would be replaced while the process waits for the end of the last one.
        onLeaving: (reason) => this.#fail(reason),
        turn: async ({ host }, signal) => {
          const waitMs = this.#hosts.begin(host)
          if (waitMs > 0) await delay(waitMs, undefined, { signal })
          this.#hosts.begun(host)
        },
        onCompleted: (task, completed) => this.#onCompleted(task, completed),
        onFree: () => this.#dispatch(),
        onEnded: (worker, end) => this.#onEnded(worker, end),
      },
      task,
    )
    this.#workers.add(worker)
  }

  #onOpened({ id, liveViewUrl }: Session): void {
    this.#failedOpenings = 0
    this.#tracker.emit({ type: 'session-opened', sessionId: id, liveViewUrl })
  }

  #onCompleted(task: Task<Item>, completed: Completed<Awaited<Result>>): void {
    this.#release(task)
    if (completed.state === 'failed') {
      this.#onFailure(task, completed.kind, completed.error)
    } else {
      const { result, durationMs } = completed
      const attempts = attemptsOf(task) + 1
      this.#keep((checkpoint) => checkpoint.addDone(task.key, { result, attempts, durationMs }))
      const { index, item } = task
      this.#deliver({ state: 'done', index, item, result, attempts, durationMs, isResumed: false })
    }
    this.#dispatch()
  }

  #onFailure(task: Task<Item>, kind: FailureKind, error: unknown): void {
    const tried = withFailure(task, kind)
    const waitMs = retryDelayMs(tried, kind, error, this.#deps.settings.retries)
    const { index, item } = task
    if (waitMs !== undefined) {
      this.#dispatcher?.add({ ...tried, notBeforeMs: performance.now() + waitMs }, true)
      return this.#tracker.emit({ type: 'retry', index, item, kind, error, waitMs })
    }
    this.#deliver({ state: 'failed', index, item, error, kind, attempts: attemptsOf(tried) })
    if (this.#deps.settings.stopOnError === true) this.#fail(error)
  }

  #onEnded(worker: PoolWorker<Item>, { reason, uses, bill, unheard, failure, left }: PoolWorkerEnd<Item>): void {
    this.#workers.delete(worker)
    if (unheard > 0) this.#keep((checkpoint) => checkpoint.addBill('unheard of', unheard))
    if (bill !== undefined) this.#tracker.emit({ type: 'session-ended', reason, uses, bill })
    if (left !== undefined) this.#release(left)
    if (this.#closed !== undefined) {
      if (this.#workers.size === 0) this.#workersDone.resolve()
      return
    }
    if (failure !== undefined) this.#onLost(failure.error, left)
    else if (left !== undefined) this.#dispatcher?.add(left, true)
    this.#dispatch()
  }

  /** A session could not be opened, or failed between two tasks. */
  #onLost(error: unknown, left: Task<Item> | undefined): void {
    const { settings, itemOptions } = this.#deps
    if (isBowlineError(error) && error.code === 'DELETE_FAILED') {
      process.emitWarning(error.toLine(), { code: 'BOWLINE_DELETE_FAILED' })
    } else if (isHopeless(error) && itemOptions.session === undefined) {
      this.#fail(error)
    } else if (isCrowded(error) && this.#workers.size > 0 && left !== undefined) {
      this.#dispatcher?.pauseOpening(Math.max(leastPauseMs, retryAfterMs(error)))
      this.#dispatcher?.add(left, true)
    } else if (++this.#failedOpenings > settings.retries.infrastructure + settings.size) {
      this.#fail(error)
    } else if (left !== undefined) {
      this.#onFailure(left, isHopeless(error) ? 'page' : 'infrastructure', error)
    }
  }

  /** Writes into the checkpoint, if there is one. A run that cannot keep what it does ends. */
  #keep(write: (checkpoint: Checkpoint) => void): void {
    if (this.#checkpoint === undefined) return
    try {
      write(this.#checkpoint)
    } catch (error) {
      this.#fail(error)
    }
  }

  #release(task: Task<Item>): void {
    this.#running -= 1
    this.#hosts.end(task.host)
  }

  #deliver(outcome: ItemOutcome<Item, Awaited<Result>>): void {
    this.#results.push(outcome.index, outcome)
    this.#tracker.emit({ type: 'item', outcome })
  }

  #fail(error: unknown): void {
    if (this.#closed !== undefined) return
    this.#stopping.abort(error)
    this.#close('return', { error })
  }

  #close(by: PoolSummary['stoppedBy'], failure?: { readonly error: unknown }): void {
    if (this.#closed !== undefined) return
    this.#stoppedBy = by
    this.#dispatcher?.stop()
    this.#deps.settings.signal?.removeEventListener('abort', this.#onAbort)
    if (this.#workers.size === 0) this.#workersDone.resolve()
    for (const worker of this.#workers) worker.retire('done')
    this.#closed = this.#settle(failure)
  }

  async #settle(failure: { readonly error: unknown } | undefined): Promise<void> {
    await this.#workersDone.promise
    const closing = await Promise.allSettled([
      this.#inputs[Symbol.asyncDispose](),
      this.#checkpoint?.[Symbol.asyncDispose](),
    ])
    const broken = closing.find((each) => each.status === 'rejected')
    this.#results.end(failure ?? (broken === undefined ? undefined : { error: broken.reason as unknown }))
  }
}
