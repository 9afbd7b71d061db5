import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { abortable, type Abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { PageJob, PageResult } from './process-html.ts'
import type { WorkAnswer } from './html-worker.ts'

/** Options of `Workers`. */
export interface WorkersOptions {
  /** Threads at once. Default: one for each processor, at most 4. */
  readonly threads?: number | undefined
  /** Milliseconds for one page. Then its thread is ended. Default 20,000. */
  readonly timeoutMs?: number | undefined
  /** Milliseconds after which a thread with a heap that has grown ends if no page came. Default 5000. */
  readonly idleMs?: number | undefined
}

interface Turn {
  readonly ready: PromiseWithResolvers<Worker>
}

const maxThreads = 4
const heapMb = 1024

/**
 * Bytes of a thread's heap above which it ends after its page, and above which it ends when it idles. V8 does not shrink
 * the heap of a thread that waits. It frees the pages of a heap that has ended about 8 s later.
 */
const maxHeapBytes = 256_000_000
const maxIdleHeapBytes = 64_000_000

/** Threads for work that takes processor time. A page that hangs or eats its memory loses its thread, never the server. */
export class Workers implements AsyncDisposable {
  readonly #threads: number
  readonly #timeoutMs: number
  readonly #idleMs: number
  readonly #idle: { readonly worker: Worker; readonly end: NodeJS.Timeout | undefined }[] = []
  readonly #heapBytes = new WeakMap<Worker, number>()
  readonly #all = new Set<Worker>()
  readonly #queue: Turn[] = []

  constructor({ threads, timeoutMs = 20_000, idleMs = 5000 }: WorkersOptions = {}) {
    this.#threads = threads ?? Math.min(maxThreads, availableParallelism())
    this.#timeoutMs = timeoutMs
    this.#idleMs = idleMs
  }

  /** Works on a page. Throws BAD_REQUEST, SCRAPE_SITE_ERROR, or the signal's reason. */
  async run(job: PageJob, { signal }: Abortable = {}): Promise<PageResult> {
    const worker = await this.#take(signal)
    const limit = AbortSignal.timeout(this.#timeoutMs)
    const answer = Promise.withResolvers<WorkAnswer>()
    const onEnd = (cause: unknown): void => answer.reject(overwhelmed(job, 'ran out of memory', cause))
    worker.once('message', answer.resolve).once('error', onEnd).once('exit', onEnd)
    let outcome: WorkAnswer | undefined
    try {
      worker.postMessage(job)
      outcome = await abortable(answer.promise, signal === undefined ? limit : AbortSignal.any([signal, limit]))
    } catch (error) {
      signal?.throwIfAborted()
      if (limit.aborted) throw overwhelmed(job, `took more than ${this.#timeoutMs / 1000} s`, error)
      throw error
    } finally {
      worker.off('message', answer.resolve).off('error', onEnd).off('exit', onEnd)
      this.#heapBytes.set(worker, outcome?.heapBytes ?? 0)
      if (outcome === undefined || outcome.heapBytes > maxHeapBytes) this.#end(worker)
      else this.#giveBack(worker)
    }
    if (outcome.kind === 'done') return outcome.result
    throw new BowlineError(outcome.code, outcome.message, { hint: outcome.hint })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { end } of this.#idle) clearTimeout(end)
    await Promise.all([...this.#all].map(async (worker) => worker.terminate()))
  }

  async #take(signal: AbortSignal | undefined): Promise<Worker> {
    const idle = this.#idle.pop()
    clearTimeout(idle?.end)
    if (idle !== undefined) return idle.worker
    if (this.#all.size < this.#threads) return this.#start()
    const turn: Turn = { ready: Promise.withResolvers() }
    this.#queue.push(turn)
    try {
      return await abortable(turn.ready.promise, signal)
    } catch (error) {
      const index = this.#queue.indexOf(turn)
      if (index === -1) void turn.ready.promise.then((worker) => this.#giveBack(worker))
      else this.#queue.splice(index, 1)
      throw error
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./html-worker${extname(import.meta.filename)}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      env: {},
    })
    worker.unref()
    // A thread whose last words nobody waits for any more.
    worker.on('error', () => undefined)
    worker.on('exit', () => this.#all.delete(worker))
    this.#all.add(worker)
    return worker
  }

  #giveBack(worker: Worker): void {
    const next = this.#queue.shift()
    if (next !== undefined) return next.ready.resolve(worker)
    const hasGrown = (this.#heapBytes.get(worker) ?? 0) > maxIdleHeapBytes
    const end = hasGrown ? setTimeout(() => this.#endIdle(worker), this.#idleMs).unref() : undefined
    this.#idle.push({ worker, end })
  }

  #endIdle(worker: Worker): void {
    const index = this.#idle.findIndex((each) => each.worker === worker)
    if (index !== -1) this.#idle.splice(index, 1)
    this.#end(worker)
  }

  #end(worker: Worker): void {
    this.#all.delete(worker)
    void worker.terminate()
    const next = this.#queue.shift()
    next?.ready.resolve(this.#start())
  }
}

function overwhelmed(job: PageJob, what: string, cause?: unknown): BowlineError {
  return new BowlineError(
    'SCRAPE_SITE_ERROR',
    `Reading ${job.url} (${(job.html.length / 1e6).toFixed(1)} MB) ${what}`,
    {
      cause,
    },
  )
}
