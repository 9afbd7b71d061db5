import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { fromKysely, type JobWithMetadata } from 'pg-boss'
import { longestTimerMs } from 'bowline/kit/longest-timer'
import { isStoreUnavailable } from '../store/unavailable.ts'
import { notifyQueue } from './notify.ts'
import type { JobQueuesDeps } from './job-queues-deps.ts'
import { queueTimings, type QueueTiming } from './queue-timing.ts'
import type { Queue } from './queue.ts'
import { InterruptibleSleep } from './interruptible-sleep.ts'

/** One attempt at a job. */
export interface Attempt {
  readonly jobId: string
  /** 1 for the first. */
  readonly attempt: number
  /** Aborted when the server stops or the attempt has taken too long. */
  readonly signal: AbortSignal
}

/** Does one job. What it throws is tried again later. */
export type Handler<Data> = (data: Data, attempt: Attempt) => Promise<void>

/** How a queue is worked on. */
export interface WorkOptions<Data> {
  /** Most jobs at a time on this server. */
  readonly concurrency: number
  /**
   * Hears of a job whose last try failed, or that too many servers died over. When it throws, it is asked again later.
   * Default: the failure is logged.
   */
  readonly onExhausted?: ((data: Data, error: unknown) => Promise<void>) | undefined
}

/** What a worker is made with. */
export interface WorkerDeps<Data extends object> extends JobQueuesDeps {
  readonly queue: Queue<Data>
  readonly options: WorkOptions<Data>
  readonly handler: Handler<Data>
}

/** Milliseconds between two looks for jobs that too many servers died over. */
const exhaustedCheckMs = 60_000

/** Seconds until work is tried again that the store kept from being done. */
const storeRetrySeconds = 1

/** Milliseconds that a server leaves to others for each job it has, before it takes another one. */
const headStartMs = 25

/** Does the jobs of one queue on this server. Disposing aborts them and gives them back. */
export class Worker<Data extends object> implements AsyncDisposable {
  readonly #deps: WorkerDeps<Data>
  readonly #timing: QueueTiming
  readonly #idle = new InterruptibleSleep()
  readonly #stop = new AbortController()
  readonly #running = new Map<string, Promise<void>>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #loop: Promise<void> | undefined

  constructor(deps: WorkerDeps<Data>) {
    this.#deps = deps
    this.#timing = queueTimings[deps.store.kind]
  }

  start(): void {
    const beat = setInterval(() => void this.#touch(), this.#timing.heartbeatMs).unref()
    this.#timers.add(beat)
    this.#loop = this.#work()
  }

  /** Looks for jobs now, or when they are due. */
  schedulePoll(startAfter?: Date | number): void {
    if (startAfter === undefined) return this.#idle.wake()
    const delayMs = typeof startAfter === 'number' ? startAfter * 1000 : startAfter.getTime() - Date.now()
    // A little later than the database, which has a clock of its own.
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        this.#idle.wake()
      },
      Math.min(longestTimerMs, Math.max(0, delayMs) + 20),
    ).unref()
    this.#timers.add(timer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('The server is stopping'))
    for (const timer of this.#timers) clearTimeout(timer)
    this.#idle.wake()
    await this.#loop
    await Promise.all(this.#running.values())
  }

  async #work(): Promise<void> {
    let nextExhaustedCheckMs = 0
    while (!this.#stop.signal.aborted) {
      if (performance.now() >= nextExhaustedCheckMs) {
        await this.#failExhausted()
        nextExhaustedCheckMs = performance.now() + exhaustedCheckMs
      }
      const jobs = await this.#fetch()
      for (const job of jobs) {
        const done = this.#attempt(job).finally(() => {
          this.#running.delete(job.id)
          this.#idle.wake()
        })
        this.#running.set(job.id, done)
      }
      if (!this.#prefersIdleServers || jobs.length === 0) await this.#idle.sleep(this.#timing.pollMs)
      if (this.#prefersIdleServers && this.#running.size > 0) await this.#yieldToIdleServers()
    }
  }

  /** Alone on its store, a server takes all it can. */
  get #prefersIdleServers(): boolean {
    const { queue, store } = this.#deps
    return queue.prefersIdleServers === true && store.kind === 'postgres'
  }

  async #yieldToIdleServers(): Promise<void> {
    await sleep(headStartMs * this.#running.size, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }

  async #fetch(): Promise<readonly JobWithMetadata<Data>[]> {
    const { boss, queue, options, onError } = this.#deps
    const room = options.concurrency - this.#running.size
    if (room === 0) return []
    const batchSize = this.#prefersIdleServers ? 1 : room
    try {
      return await boss.fetch<Data>(queue.name, { batchSize, includeMetadata: true })
    } catch (error) {
      onError(error, `looking for jobs of ${queue.name}`)
      return []
    }
  }

  /** Never rejects. */
  async #attempt(job: JobWithMetadata<Data>): Promise<void> {
    const { queue, handler, onError } = this.#deps
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(queue.expireSeconds * 1000)])
    const failure = await handler(job.data, { jobId: job.id, attempt: job.retryCount + 1, signal }).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    try {
      await this.#retryDuringOutage(async () => this.#settle(job, failure))
    } catch (error) {
      // The job stays begun; its heartbeat stops, and it is taken up again.
      onError(error, `settling a job of ${queue.name}`)
    }
  }

  /** Repeats what fails because of the store until it works, or the server stops. */
  async #retryDuringOutage(settle: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await settle()
      } catch (error) {
        if (!isStoreUnavailable(error) || this.#stop.signal.aborted) throw error
      }
      await sleep(storeRetrySeconds * 1000, undefined, { signal: this.#stop.signal }).catch(() => undefined)
    }
  }

  async #settle(job: JobWithMetadata<Data>, failure: { readonly error: unknown } | undefined): Promise<void> {
    const { boss, queue } = this.#deps
    if (failure === undefined) await boss.complete(queue.name, job)
    else if (this.#stop.signal.aborted) await this.#requeue(job, 0)
    else if (isStoreUnavailable(failure.error)) await this.#requeue(job, storeRetrySeconds)
    else await this.#failed(job, failure.error)
  }

  /** Returns a job as if it had not been begun: neither a stopping server nor a fault of the store is an attempt at it. */
  async #requeue(job: JobWithMetadata<Data>, afterSeconds: number): Promise<void> {
    const { store, queue } = this.#deps
    await sql`
      update pgboss.job
      set state = 'retry', started_on = null, heartbeat_on = null, start_after = now() + make_interval(secs => ${afterSeconds}::double precision)
      where name = ${queue.name} and id = ${job.id} and state = 'active' and retry_count = ${job.retryCount}`.execute(
      store.db,
    )
    if (afterSeconds === 0) await notifyQueue(store.db, queue.name)
    else this.schedulePoll(afterSeconds)
  }

  async #failed(job: JobWithMetadata<Data>, error: unknown): Promise<void> {
    const { boss, store, queue, options, onError } = this.#deps
    const tries = triesOf(job) + 1
    const output = { message: error instanceof Error ? error.message : String(error), tries }
    const startAfter = queue.retryDelaysSeconds?.[tries - 1]
    if (startAfter === undefined) {
      if (options.onExhausted === undefined) onError(error, `doing a job of ${queue.name}`)
      await options.onExhausted?.(job.data, error)
      await boss.complete(queue.name, job, output)
      return
    }
    await store.db.transaction().execute(async (transaction) => {
      const db = fromKysely(transaction)
      await boss.fail(queue.name, job, output, { db })
      await boss.update(queue.name, undefined, { id: job.id, startAfter, db })
    })
    this.schedulePoll(startAfter)
  }

  /** Settles what the database gave up, because too many servers died over it: none of them could tell. */
  async #failExhausted(): Promise<void> {
    const { boss, queue, options, onError } = this.#deps
    const what = `giving up jobs of ${queue.name}`
    try {
      const { rows } = await boss
        .getDb()
        .executeSql(`select id, data from pgboss.job where name = $1 and state = 'failed'`, [queue.name])
      for (const { id, data } of rows as readonly { readonly id: string; readonly data: Data }[]) {
        const error = new Error('Every server that began this job died before its end')
        if (options.onExhausted === undefined) onError(error, what)
        await options.onExhausted?.(data, error)
        await boss.deleteJob(queue.name, id)
      }
    } catch (error) {
      onError(error, what)
    }
  }

  async #touch(): Promise<void> {
    const { boss, queue, onError } = this.#deps
    const ids = [...this.#running.keys()]
    if (ids.length === 0) return
    await boss.touch(queue.name, ids).catch((error: unknown) => onError(error, `keeping jobs of ${queue.name}`))
  }
}

/** How often the work of a job has failed, servers that died left out: what they leave says nothing of it. */
function triesOf({ output }: JobWithMetadata): number {
  const tries: unknown = 'tries' in (output ?? {}) ? (output as { readonly tries: unknown }).tries : undefined
  return typeof tries === 'number' ? tries : 0
}
