import { sleep } from '../../kit/sleep.ts'
import { BowlineError } from '../../kit/errors.ts'
import type { Session } from '../session.ts'
import { AddedItems } from './added-items.ts'
import type { PoolFunction } from './attempt.ts'
import { createBudget, type Budget } from './budget.ts'
import { openCheckpoint, type Checkpoint } from './checkpoint.ts'
import { Dispatcher } from './dispatcher.ts'
import { createHostLimits } from './host-limits.ts'
import { InputQueue } from './input-queue.ts'
import { openPoolWorker, type PoolClient, type PoolWorker, type PoolWorkerEnd } from './pool-worker.ts'
import type { PoolSettings } from './options.ts'
import { createResultQueue, type ResultQueue } from './result-queue.ts'
import type { ItemOutcome, PoolProgress, PoolSummary } from './outcome.ts'
import { RunFailures } from './run-failures.ts'
import type { AttemptResult } from './after-attempt.ts'
import { settlePreviousRuns } from './previous-runs.ts'
import { createProgressTracker, type ProgressTracker } from './progress-tracker.ts'
import { attemptsOf, createTask, doneOutcome, keyOf, type ItemOptions, type Task } from './task.ts'

/** Dependencies of a run. */
export interface RunDeps<Item, Result, Handles> {
  readonly client: PoolClient
  readonly settings: PoolSettings<Handles>
  readonly items: Iterable<Item> | AsyncIterable<Item>
  readonly work: PoolFunction<Item, Result, Handles>
  readonly itemOptions: ItemOptions<Item>
}

const minLookahead = 100

/**
 * A run of a pool: reads items, dispatches them to sessions, and delivers outcomes.
 *
 * The path of an item:
 *
 * 1. `InputQueue` reads it from the source, unless enough items are waiting.
 * 2. A result in the checkpoint is delivered at once, and the items that its work added follow.
 * 3. `Dispatcher` assigns its task to a free session, or opens one, within the limits of the pool,
 *    the budget and the host.
 * 4. `PoolWorker` runs the function of the caller on it.
 * 5. After a failure, the task returns to the dispatcher with a delay, until its retries are used.
 * 6. `ResultQueue` delivers the outcome to the caller.
 */
export class Run<Item, Result, Handles> {
  readonly #deps: RunDeps<Item, Result, Handles>
  readonly #workers = new Set<PoolWorker<Item>>()
  readonly #hostLimits: ReturnType<typeof createHostLimits>
  readonly #tracker: ProgressTracker
  readonly #inputs: InputQueue<Item>
  readonly #added: AddedItems<Item> | undefined
  readonly #results: ResultQueue<ItemOutcome<Item, Awaited<Result>>>
  readonly #stopping = new AbortController()
  readonly #workersDone = Promise.withResolvers<void>()
  #begun: Promise<void> | undefined
  #closed: Promise<void> | undefined
  #stoppedBy: PoolSummary['stoppedBy'] = 'return'
  #running = 0
  #checkpoint: Checkpoint | undefined
  #budget: Budget | undefined
  #dispatcher: Dispatcher<Item> | undefined
  #failures: RunFailures<Item> | undefined

  /**
   * Prepares a run, which starts with the first call of `next`. Throws CONFIG_INVALID if `items` is
   * not iterable.
   */
  constructor(deps: RunDeps<Item, Result, Handles>) {
    const { settings, items, itemOptions } = deps
    const highWater = Math.max(minLookahead, settings.size * 10)
    this.#deps = deps
    this.#hostLimits = createHostLimits(settings.perHost)
    this.#tracker = createProgressTracker({
      budget: () => this.#budget,
      waiting: () => this.#dispatcher?.waiting() ?? 0,
      running: () => this.#running,
      sessions: () => this.#workers.size,
      onProgress: settings.onProgress,
    })
    this.#results = createResultQueue({ order: settings.order, highWater, onRead: () => this.#inputs.pull() })
    this.#added = settings.checkpoint === undefined ? undefined : new AddedItems(itemOptions)
    this.#inputs = new InputQueue(items, {
      keyOf: (item) => keyOf(item, itemOptions),
      hasRoom: () =>
        this.#closed === undefined && !this.#results.isFull() && (this.#dispatcher?.waiting() ?? 0) < highWater,
      onItem: (item, index) => this.#enqueue(createTask(item, index, settings.session, itemOptions)),
      onEnd: () => this.#dispatch(),
      onError: (error) => this.#fail(error),
    })
  }

  /**
   * Resolves to the next outcome, or `undefined` at the end. Rejects with the error that ended the
   * run, after its sessions are deleted.
   */
  async next(): Promise<ItemOutcome<Item, Awaited<Result>> | undefined> {
    this.#begun ??= this.#begin().catch((error: unknown) => this.#fail(error))
    await this.#begun
    return this.#results.next()
  }

  progress(): PoolProgress {
    return this.#tracker.progress()
  }

  summary(): PoolSummary {
    return this.#tracker.summary(this.#stoppedBy)
  }

  /** Ends the run and waits until its sessions are deleted. */
  async stop(): Promise<void> {
    if (this.#begun === undefined) return
    await this.#begun
    this.#stopping.abort(new BowlineError('ABORTED', 'The caller stopped reading the results of the pool'))
    this.#close('return')
    await this.#closed
  }

  async #begin(): Promise<void> {
    const { client, settings, itemOptions } = this.#deps
    const { signal, checkpoint: path, price } = settings
    signal?.throwIfAborted()
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    const checkpoint = path === undefined ? undefined : await openCheckpoint(path)
    // The run was aborted while the file was being opened.
    if (this.#closed !== undefined) return checkpoint?.[Symbol.asyncDispose]()
    this.#checkpoint = checkpoint
    const spent =
      this.#checkpoint === undefined
        ? 0
        : await settlePreviousRuns(this.#checkpoint, client.sessions, price, { signal })
    this.#budget = createBudget(settings.budget, spent)
    this.#dispatcher = new Dispatcher({
      size: settings.size,
      minimum: price.minimum,
      budget: this.#budget,
      hosts: this.#hostLimits,
      workers: this.#workers,
      open: (task) => this.#open(task),
      onStart: (task) => {
        this.#running += 1
        this.#hostLimits.assign(task.host)
      },
      onDelayOver: () => this.#dispatch(),
    })
    this.#failures = new RunFailures({
      settings,
      hasItemSessions: itemOptions.session !== undefined,
      dispatcher: this.#dispatcher,
      tracker: this.#tracker,
      sessions: () => this.#workers.size,
      deliver: (outcome) => this.#deliver(outcome),
      fail: (error) => this.#fail(error),
    })
    this.#inputs.pull()
  }

  readonly #onAbort = (): void => this.#fail(this.#deps.settings.signal?.reason)

  /** Starts the tasks that are ready. Ends the run if no task is left, or the budget is spent. */
  #dispatch(): void {
    if (this.#closed !== undefined || this.#dispatcher === undefined) return
    this.#inputs.pull()
    const state = this.#dispatcher.dispatch()
    if (state === 'empty' && this.#running === 0 && this.#inputs.isDone()) this.#close('end')
    if (state === 'budget' && this.#workers.size === 0) this.#close('budget')
  }

  /** Starts a task, or delivers its result from the checkpoint and returns the items it added. */
  #enqueue(task: Task<Item>): readonly Item[] {
    const before = this.#checkpoint?.find(task.key)
    if (before === undefined) {
      this.#dispatcher?.add(task)
      this.#dispatch()
      return []
    }
    this.#deliver(doneOutcome(task, before, { isResumed: true }))
    return this.#added?.restore(before) ?? []
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
        add: (task, item) => {
          if (this.#closed !== undefined) return false
          this.#added?.record(task, item)
          return this.#inputs.add(item)
        },
        onCreated: ({ id }) => this.#writeCheckpoint((checkpoint) => checkpoint.addSession(id)),
        onOpened: (session) => this.#onOpened(session),
        onBilled: ({ sessionId, creditsBilled: credits }) => {
          if (credits !== undefined) this.#writeCheckpoint((checkpoint) => checkpoint.addBill(sessionId, credits))
        },
        // Otherwise the other sessions would be replaced while the process waits for the last one
        // to end.
        onAborted: (reason) => this.#fail(reason),
        waitForHost: async ({ host }, signal) => {
          const waitMs = this.#hostLimits.reserveStart(host)
          if (waitMs > 0) await sleep(waitMs, signal)
          this.#hostLimits.recordStart(host)
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
    this.#failures?.onOpened()
    this.#tracker.emit({ type: 'session-opened', sessionId: id, liveViewUrl })
  }

  #onCompleted(task: Task<Item>, completed: AttemptResult<Awaited<Result>>): void {
    this.#release(task)
    if (completed.state === 'failed') {
      this.#failures?.onItemFailed(task, completed.kind, completed.error)
    } else {
      const { result, durationMs } = completed
      const done = { result, attempts: attemptsOf(task) + 1, durationMs, added: this.#added?.take(task) }
      this.#writeCheckpoint((checkpoint) => checkpoint.addDone(task.key, done))
      this.#deliver(doneOutcome(task, done, { isResumed: false }))
    }
    this.#dispatch()
  }

  #onEnded(
    worker: PoolWorker<Item>,
    { reason, uses, bill, unconfirmedCredits, failure, unfinishedTask }: PoolWorkerEnd<Item>,
  ): void {
    this.#workers.delete(worker)
    if (unconfirmedCredits > 0)
      this.#writeCheckpoint((checkpoint) => checkpoint.addBill('unconfirmed', unconfirmedCredits))
    if (bill !== undefined) this.#tracker.emit({ type: 'session-ended', reason, uses, bill })
    if (unfinishedTask !== undefined) this.#release(unfinishedTask)
    if (this.#closed !== undefined) {
      if (this.#workers.size === 0) this.#workersDone.resolve()
      return
    }
    if (failure !== undefined) this.#failures?.onSessionFailed(failure.error, unfinishedTask)
    else if (unfinishedTask !== undefined) this.#dispatcher?.addFirst(unfinishedTask)
    this.#dispatch()
  }

  /** Writes to the checkpoint, if there is one. A failing write ends the run. */
  #writeCheckpoint(write: (checkpoint: Checkpoint) => void): void {
    if (this.#checkpoint === undefined) return
    try {
      write(this.#checkpoint)
    } catch (error) {
      this.#fail(error)
    }
  }

  #release(task: Task<Item>): void {
    this.#running -= 1
    this.#hostLimits.end(task.host)
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
