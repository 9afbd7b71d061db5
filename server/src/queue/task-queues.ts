import { randomUUID } from 'node:crypto'
import { dayMs } from 'bowline/kit/day-ms'
import type { Kysely } from 'kysely'
import { fromKysely, type JobInsert } from 'pg-boss'
import { runEvery } from '../kit/run-every.ts'
import type { Database } from '../store/schema.ts'
import { findWakingQueues } from './find-waking-queues.ts'
import { listenForTasks, notifyQueue } from './pg-notify.ts'
import type { TaskQueuesDeps } from './task-queues-deps.ts'
import { queueTimings } from './queue-timing.ts'
import { withOrigin } from './task-origin.ts'
import type { Queue } from './queue.ts'
import { Worker, type Handler, type WorkOptions } from './worker.ts'

/** Options of `send` and `sendMany`. */
export interface SendOptions {
  /** Transaction in which the task is added. */
  readonly db?: Kysely<Database> | undefined
  /** Earliest start: a time, or seconds from now. Default: at once. */
  readonly startAfter?: Date | number | undefined
  /** Tasks with the same key that have not started yet are deduplicated. */
  readonly singletonKey?: string | undefined
  /** Tasks with a higher priority start first. Default: 0. */
  readonly priority?: number | undefined
  /** Team for which the task runs. Required in queues that teams share. */
  readonly teamId?: string | undefined
}

/** Limits how often a task that crashes servers is tried again. */
const defaultMaxCrashes = 10

/** Largest PostgreSQL `integer`. */
const maxRetryLimit = 2 ** 31 - 1

const completedRetentionSeconds = 3600

/**
 * Keeps waiting tasks for ten years: their senders wait for a result even if no server runs for a
 * long time.
 */
const taskRetentionSeconds = (10 * 365 * dayMs) / 1000

/**
 * Task queues in the database with at-least-once execution by any of the servers. Disposing aborts
 * the tasks running on this server and requeues them.
 */
export class TaskQueues implements AsyncDisposable {
  readonly #deps: TaskQueuesDeps
  readonly #workers = new Map<string, Pick<Worker<object>, 'schedulePoll' | typeof Symbol.asyncDispose>>()
  #listener: AsyncDisposable | undefined
  #duePoll: AsyncDisposable | undefined

  constructor(deps: TaskQueuesDeps) {
    this.#deps = deps
  }

  /**
   * Starts tasks as soon as the transaction that enqueued them commits (LISTEN/NOTIFY), and within
   * 5 s if the notification is lost. Does nothing in the embedded store.
   */
  listen(): void {
    this.#listener = listenForTasks(this.#deps.store, (name) => {
      for (const [each, worker] of this.#workers) if (name === undefined || name === each) worker.schedulePoll()
    })
    const { duePollMs } = queueTimings[this.#deps.store.kind]
    if (duePollMs === undefined) return
    const onError = (error: unknown): void => this.#deps.onError(error, 'checking the queues for due and lost tasks')
    this.#duePoll = runEvery(duePollMs, async () => this.#wakeWorkers(), { onError })
  }

  /** Adds a task. `work` must have been called for the queue on this server. */
  async send<Data extends object>(queue: Queue<Data>, data: Data, options: SendOptions = {}): Promise<void> {
    await this.sendMany(queue, [data], options)
  }

  /** Adds tasks in one statement. `work` must have been called for the queue on this server. */
  async sendMany<Data extends object>(
    queue: Queue<Data>,
    data: readonly Data[],
    { db, ...options }: SendOptions = {},
  ): Promise<void> {
    const worker = this.#workers.get(queue.name)
    if (worker === undefined) throw new Error(`Queue ${queue.name} has no worker. Call \`work\` before \`send\`.`)
    if (queue.isSharedByTeams === true && options.teamId === undefined)
      throw new Error(`Tasks of queue ${queue.name} need a teamId`)
    const { boss, store } = this.#deps
    const { heartbeatTimeoutSeconds: heartbeatSeconds } = queueTimings[store.kind]
    const tasks = data.map((each) => ({ ...toTask(queue, options), heartbeatSeconds, data: withOrigin(each) }))
    // On another connection, the insert would deadlock with the transaction that awaits it.
    await boss.insert(queue.name, tasks, db === undefined ? {} : { db: fromKysely(db) })
    // In PostgreSQL the task is not visible before the commit. The embedded database has one
    // connection, so a poll waits for the commit anyway.
    const isBroadcast = options.startAfter === undefined && store.kind === 'postgres'
    if (isBroadcast) await notifyQueue(db ?? store.db, queue.name)
    if (db === undefined || !isBroadcast) worker.schedulePoll(options.startAfter)
  }

  /**
   * Starts a worker that runs the tasks of a queue, at most `concurrency` at a time. If `handler`
   * throws, the task is retried after the queue's delays, then passed to `onExhausted`. A task may
   * run twice if a server crashes before it has recorded the result.
   */
  async work<Data extends object>(
    queue: Queue<Data>,
    options: WorkOptions<Data>,
    handler: Handler<Data>,
  ): Promise<void> {
    if (this.#workers.has(queue.name)) throw new Error(`Queue ${queue.name} already has a worker`)
    const { boss, store } = this.#deps
    await boss.createQueue(queue.name, { policy: 'short' })
    // Fills pg-boss's cache of the queue, which it cannot load inside a transaction.
    await boss.insert(queue.name, [])
    if (store.kind === 'pglite') await this.#requeueOrphaned(queue.name)
    const worker = new Worker({ ...this.#deps, queue, options, handler })
    this.#workers.set(queue.name, worker)
    worker.start()
  }

  /**
   * Stops working, and gives the running and waiting tasks to the other servers. Tasks can still be
   * sent.
   */
  async handOver(): Promise<void> {
    await this.#duePoll?.[Symbol.asyncDispose]()
    await Promise.all([...this.#workers.values()].map((worker) => worker[Symbol.asyncDispose]()))
  }

  async #wakeWorkers(): Promise<void> {
    const names = [...this.#workers.keys()]
    if (names.length === 0) return
    const { boss, store } = this.#deps
    for (const { name, isDue, hasLostTask } of await findWakingQueues(store.db, names)) {
      if (hasLostTask) {
        // Requeues the tasks whose heartbeats have stopped. Does nothing if another server just did.
        await boss.supervise(name)
        await notifyQueue(store.db, name)
      }
      if (isDue) this.#workers.get(name)?.schedulePoll()
    }
  }

  /** Requeues tasks that a crashed process left active: no other server uses the embedded store. */
  async #requeueOrphaned(name: string): Promise<void> {
    const { boss } = this.#deps
    const { rows } = await boss
      .getDb()
      .executeSql(`select id from pgboss.job where name = $1 and state = 'active'`, [name])
    const ids = (rows as readonly { readonly id: string }[]).map(({ id }) => id)
    if (ids.length > 0) await boss.fail(name, ids, { message: 'The server crashed' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handOver()
    await this.#listener?.[Symbol.asyncDispose]()
    await this.#deps.boss.stop({ graceful: false })
  }
}

function toTask(
  queue: Queue<object>,
  { startAfter, singletonKey, priority, teamId }: Omit<SendOptions, 'db'>,
): Omit<JobInsert, 'data'> {
  return {
    retryLimit: Math.min(
      maxRetryLimit,
      (queue.retryDelaysSeconds?.length ?? 0) + (queue.maxCrashes ?? defaultMaxCrashes),
    ),
    retryDelay: 0,
    expireInSeconds: queue.expireSeconds,
    deleteAfterSeconds: completedRetentionSeconds,
    retentionSeconds: taskRetentionSeconds,
    // Only one task per key may wait, and pg-boss treats a missing key as a key.
    singletonKey: singletonKey ?? randomUUID(),
    ...(startAfter === undefined ? {} : { startAfter }),
    ...(priority === undefined ? {} : { priority }),
    ...(teamId === undefined ? {} : { group: { id: teamId } }),
  }
}
