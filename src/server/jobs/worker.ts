import { fromKysely, type JobWithMetadata } from 'pg-boss'
import { longestTimerMs } from '../../kit/longest-timer.ts'
import type { JobsParts } from './jobs-parts.ts'
import { paces, type Pace } from './pace.ts'
import type { Queue } from './queue.ts'
import { Wake } from './wake.ts'

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
export interface WorkerParts<Data extends object> extends JobsParts {
  readonly queue: Queue<Data>
  readonly options: WorkOptions<Data>
  readonly handler: Handler<Data>
}

/** Milliseconds between two looks for jobs that too many servers died over. */
const burialMs = 60_000

/** Does the jobs of one queue on this server. Disposing aborts them and gives them back. */
export class Worker<Data extends object> implements AsyncDisposable {
  readonly #parts: WorkerParts<Data>
  readonly #pace: Pace
  readonly #wake = new Wake()
  readonly #stop = new AbortController()
  readonly #running = new Map<string, Promise<void>>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #loop: Promise<void> | undefined

  constructor(parts: WorkerParts<Data>) {
    this.#parts = parts
    this.#pace = paces[parts.store.kind]
  }

  start(): void {
    const beat = setInterval(() => void this.#touch(), this.#pace.beatMs).unref()
    this.#timers.add(beat)
    this.#loop = this.#work()
  }

  /** Looks for jobs now, or when they are due. */
  expect(startAfter?: Date | number): void {
    if (startAfter === undefined) return this.#wake.call()
    const delayMs = typeof startAfter === 'number' ? startAfter * 1000 : startAfter.getTime() - Date.now()
    // A little later than the database, which has a clock of its own.
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        this.#wake.call()
      },
      Math.min(longestTimerMs, Math.max(0, delayMs) + 20),
    ).unref()
    this.#timers.add(timer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('The server is stopping'))
    for (const timer of this.#timers) clearTimeout(timer)
    this.#wake.call()
    await this.#loop
    await Promise.all(this.#running.values())
  }

  async #work(): Promise<void> {
    let buryAtMs = 0
    while (!this.#stop.signal.aborted) {
      if (performance.now() >= buryAtMs) {
        await this.#bury()
        buryAtMs = performance.now() + burialMs
      }
      for (const job of await this.#fetch()) {
        const done = this.#attempt(job).finally(() => {
          this.#running.delete(job.id)
          this.#wake.call()
        })
        this.#running.set(job.id, done)
      }
      await this.#wake.sleep(this.#pace.lookMs)
    }
  }

  async #fetch(): Promise<readonly JobWithMetadata<Data>[]> {
    const { boss, queue, options, onError } = this.#parts
    const batchSize = options.concurrency - this.#running.size
    if (batchSize === 0) return []
    try {
      return await boss.fetch<Data>(queue.name, { batchSize, includeMetadata: true })
    } catch (error) {
      onError(error, `looking for jobs of ${queue.name}`)
      return []
    }
  }

  /** Never rejects. */
  async #attempt(job: JobWithMetadata<Data>): Promise<void> {
    const { boss, queue, handler, onError } = this.#parts
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(queue.expireSeconds * 1000)])
    try {
      try {
        await handler(job.data, { jobId: job.id, attempt: job.retryCount + 1, signal })
        await boss.complete(queue.name, job)
      } catch (error) {
        await this.#failed(job, error)
      }
    } catch (error) {
      // The job stays begun; its heartbeat stops, and it is taken up again.
      onError(error, `settling a job of ${queue.name}`)
    }
  }

  async #failed(job: JobWithMetadata<Data>, error: unknown): Promise<void> {
    const { boss, store, queue, options, onError } = this.#parts
    const message = { message: error instanceof Error ? error.message : String(error) }
    const delays = queue.retryDelaysSeconds ?? []
    if (this.#stop.signal.aborted) {
      await boss.fail(queue.name, job, message)
      return
    }
    if (job.retryCount >= delays.length) {
      if (options.onExhausted === undefined) onError(error, `doing a job of ${queue.name}`)
      await options.onExhausted?.(job.data, error)
      await boss.complete(queue.name, job, message)
      return
    }
    const startAfter = delays[job.retryCount] ?? 0
    await store.db.transaction().execute(async (transaction) => {
      const db = fromKysely(transaction)
      await boss.fail(queue.name, job, message, { db })
      await boss.update(queue.name, undefined, { id: job.id, startAfter, db })
    })
    this.expect(startAfter)
  }

  /** Settles what the database gave up, because too many servers died over it: none of them could tell. */
  async #bury(): Promise<void> {
    const { boss, queue, options, onError } = this.#parts
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
    const { boss, queue, onError } = this.#parts
    const ids = [...this.#running.keys()]
    if (ids.length === 0) return
    await boss.touch(queue.name, ids).catch((error: unknown) => onError(error, `keeping jobs of ${queue.name}`))
  }
}
