import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { fromKysely, type JobInsert } from 'pg-boss'
import type { Database } from '../store/schema.ts'
import { listenForJobs, notifyQueue } from './notify.ts'
import type { JobQueuesDeps } from './job-queues-deps.ts'
import { queueTimings } from './queue-timing.ts'
import type { Queue } from './queue.ts'
import { Worker, type Handler, type WorkOptions } from './worker.ts'

/** When and how a job is to be done. */
export interface SendOptions {
  /** A transaction: the job is there when it commits, and only then. */
  readonly db?: Kysely<Database> | undefined
  /** Time, or seconds from now, before which the job is not begun. Default: at once. */
  readonly startAfter?: Date | number | undefined
  /** Jobs of the same key that nobody has begun are one job. */
  readonly singletonKey?: string | undefined
  /** Jobs of higher priority come first. Default 0. */
  readonly priority?: number | undefined
}

/** What kills a server must not do so for ever. */
const defaultMaxCrashes = 10

/** More than any job will ever need; PostgreSQL has no number above. */
const maxRetryLimit = 2 ** 31 - 1

const completedRetentionSeconds = 3600

/** What waits is not forgotten, however long no server runs: those who sent it would wait for ever. */
const jobRetentionSeconds = 10 * 365 * 86_400

/**
 * Queues in the database: what is sent is done at least once, by one of the servers, whatever becomes of this one.
 * Disposing aborts what runs here and leaves it to the next server.
 */
export class JobQueues implements AsyncDisposable {
  readonly #deps: JobQueuesDeps
  readonly #workers = new Map<string, Pick<Worker<object>, 'schedulePoll' | typeof Symbol.asyncDispose>>()
  #listener: AsyncDisposable | undefined

  constructor(deps: JobQueuesDeps) {
    this.#deps = deps
  }

  /** Has what transactions on a PostgreSQL send begun as they commit. Without it, workers look for it every 2 s. */
  listen(): void {
    this.#listener = listenForJobs(this.#deps.store, (name) => {
      for (const [each, worker] of this.#workers) if (name === undefined || name === each) worker.schedulePoll()
    })
  }

  /** Adds a job. `work` must have been called for the queue on this server. */
  async send<Data extends object>(queue: Queue<Data>, data: Data, options: SendOptions = {}): Promise<void> {
    await this.sendMany(queue, [data], options)
  }

  /** Adds jobs in one statement. `work` must have been called for the queue on this server. */
  async sendMany<Data extends object>(
    queue: Queue<Data>,
    data: readonly Data[],
    { db, ...options }: SendOptions = {},
  ): Promise<void> {
    const worker = this.#workers.get(queue.name)
    if (worker === undefined) throw new Error(`Nobody works on the queue ${queue.name}: call \`work\` before \`send\``)
    const { boss, store } = this.#deps
    const { heartbeatTimeoutSeconds: heartbeatSeconds } = queueTimings[store.kind]
    const jobs = data.map((each) => ({ ...toJob(queue, options), heartbeatSeconds, data: each }))
    // A connection of its own would wait for ever for the transaction that waits for it.
    await boss.insert(queue.name, jobs, db === undefined ? {} : { db: fromKysely(db) })
    // Before the transaction commits there is nothing to be found. The embedded database lets nobody look until then.
    const isBroadcast = options.startAfter === undefined && store.kind === 'postgres'
    if (isBroadcast) await notifyQueue(db ?? store.db, queue.name)
    if (db === undefined || !isBroadcast) worker.schedulePoll(options.startAfter)
  }

  /**
   * Has this server do the jobs of a queue, at most `concurrency` at a time. What `handler` throws is tried again after
   * the delays of the queue, and handed to `onExhausted` when there is none left. A job may be done twice: by a server
   * that died before it could say so, and by the next.
   */
  async work<Data extends object>(
    queue: Queue<Data>,
    options: WorkOptions<Data>,
    handler: Handler<Data>,
  ): Promise<void> {
    if (this.#workers.has(queue.name)) throw new Error(`The queue ${queue.name} is worked on already`)
    const { boss, store } = this.#deps
    await boss.createQueue(queue.name, { policy: 'short' })
    // Fills the library's memory of the queue, which it could not ask for inside of a transaction.
    await boss.insert(queue.name, [])
    if (store.kind === 'pglite') await this.#requeueOrphaned(queue.name)
    const worker = new Worker({ ...this.#deps, queue, options, handler })
    this.#workers.set(queue.name, worker)
    worker.start()
  }

  /** What is begun before anybody works was begun by a server that died: this one has the embedded store alone. */
  async #requeueOrphaned(name: string): Promise<void> {
    const { boss } = this.#deps
    const { rows } = await boss
      .getDb()
      .executeSql(`select id from pgboss.job where name = $1 and state = 'active'`, [name])
    const ids = (rows as readonly { readonly id: string }[]).map(({ id }) => id)
    if (ids.length > 0) await boss.fail(name, ids, { message: 'The server has died' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker[Symbol.asyncDispose]()))
    await this.#listener?.[Symbol.asyncDispose]()
    await this.#deps.boss.stop({ graceful: false })
  }
}

function toJob(
  queue: Queue<object>,
  { startAfter, singletonKey, priority }: Omit<SendOptions, 'db'>,
): Omit<JobInsert, 'data'> {
  return {
    retryLimit: Math.min(
      maxRetryLimit,
      (queue.retryDelaysSeconds?.length ?? 0) + (queue.maxCrashes ?? defaultMaxCrashes),
    ),
    retryDelay: 0,
    expireInSeconds: queue.expireSeconds,
    deleteAfterSeconds: completedRetentionSeconds,
    retentionSeconds: jobRetentionSeconds,
    // Of jobs with the same key only one may wait, and no key is a key, too.
    singletonKey: singletonKey ?? randomUUID(),
    ...(startAfter === undefined ? {} : { startAfter }),
    ...(priority === undefined ? {} : { priority }),
  }
}
