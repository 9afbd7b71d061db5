import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { abortable, type Abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { HtmlJob, ProcessedHtml } from './process-html.ts'
import type { RedactOptions } from 'bowline/contract/redaction'
import type { ThreadJob, WorkerResponse } from './html-thread.ts'
import { RunningTimeout } from '../../kit/running-timeout.ts'
import { threadEnvironment } from '../../kit/thread-environment.ts'

/** Options of `HtmlThreadPool`. */
export interface HtmlThreadPoolOptions {
  /** Maximum number of threads. Default: the number of CPUs, at most 4. */
  readonly threads?: number | undefined
  /**
   * Time limit for one page in milliseconds. Its thread is terminated when it expires.
   * Default: 20000.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Milliseconds without work after which a thread with a large heap is terminated. Default: 5000.
   */
  readonly idleMs?: number | undefined
}

const maxThreads = 4
const heapMb = 1024

/**
 * Heap size in bytes above which a thread is terminated after its page, or when it is idle. V8 does
 * not shrink the heap of an idle thread, and frees the memory of a terminated one about 8 s later.
 */
const maxHeapBytes = 256_000_000
const maxIdleHeapBytes = 64_000_000

/**
 * Worker threads that process HTML. A page that hangs or exhausts its memory costs a thread, not
 * the server.
 */
export class HtmlThreadPool implements AsyncDisposable {
  readonly #threads: number
  readonly #timeoutMs: number
  readonly #idleMs: number
  readonly #idle: { readonly worker: Worker; readonly end: NodeJS.Timeout | undefined }[] = []
  readonly #heapBytes = new WeakMap<Worker, number>()
  readonly #all = new Set<Worker>()
  readonly #queue: PromiseWithResolvers<Worker>[] = []

  constructor({ threads, timeoutMs = 20_000, idleMs = 5000 }: HtmlThreadPoolOptions = {}) {
    this.#threads = threads ?? Math.min(maxThreads, availableParallelism())
    this.#timeoutMs = timeoutMs
    this.#idleMs = idleMs
  }

  /** Processes a page. Throws BAD_REQUEST, SCRAPE_SITE_ERROR, or the signal's reason. */
  async run(page: HtmlJob, options: Abortable = {}): Promise<ProcessedHtml> {
    const name = `${page.url} (${(page.html.length / 1e6).toFixed(1)} MB)`
    return (await this.#execute({ kind: 'page', page }, name, options)) as ProcessedHtml
  }

  /** Redacts personal data in a text. Throws SCRAPE_SITE_ERROR, or the signal's reason. */
  async redact(text: string, redaction: RedactOptions, options: Abortable = {}): Promise<string> {
    const name = `Markdown (${(text.length / 1e6).toFixed(1)} MB)`
    return (await this.#execute({ kind: 'redact', text, options: redaction }, name, options)) as string
  }

  async #execute(job: ThreadJob, name: string, { signal }: Abortable): Promise<ProcessedHtml | string> {
    const worker = await this.#acquire(signal)
    using limit = new RunningTimeout(this.#timeoutMs)
    const response = Promise.withResolvers<WorkerResponse>()
    const onEnd = (cause: unknown): void => response.reject(processingError(name, 'ran out of memory', cause))
    worker.once('message', response.resolve).once('error', onEnd).once('exit', onEnd)
    let outcome: WorkerResponse | undefined
    try {
      worker.postMessage(job)
      outcome = await abortable(response.promise, mergeSignals(limit.signal, signal))
    } catch (error) {
      signal?.throwIfAborted()
      if (limit.isOver) throw processingError(name, `took more than ${this.#timeoutMs / 1000} s`, error)
      throw error
    } finally {
      worker.off('message', response.resolve).off('error', onEnd).off('exit', onEnd)
      this.#heapBytes.set(worker, outcome?.heapBytes ?? 0)
      if (outcome === undefined || outcome.heapBytes > maxHeapBytes) this.#end(worker)
      else this.#release(worker)
    }
    if (outcome.kind === 'done') return outcome.result
    throw new BowlineError(outcome.code, outcome.message, { hint: outcome.hint })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { end } of this.#idle) clearTimeout(end)
    await Promise.all([...this.#all].map(async (worker) => worker.terminate()))
  }

  async #acquire(signal: AbortSignal | undefined): Promise<Worker> {
    const idle = this.#idle.pop()
    clearTimeout(idle?.end)
    if (idle !== undefined) return idle.worker
    if (this.#all.size < this.#threads) return this.#start()
    const next = Promise.withResolvers<Worker>()
    this.#queue.push(next)
    try {
      return await abortable(next.promise, signal)
    } catch (error) {
      const index = this.#queue.indexOf(next)
      if (index === -1) void next.promise.then((worker) => this.#release(worker))
      else this.#queue.splice(index, 1)
      throw error
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./html-thread${extname(import.meta.filename)}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      env: threadEnvironment(),
    })
    worker.unref()
    // A thread may fail while no job listens to it.
    worker.on('error', () => undefined)
    worker.on('exit', () => this.#all.delete(worker))
    this.#all.add(worker)
    return worker
  }

  #release(worker: Worker): void {
    const next = this.#queue.shift()
    if (next !== undefined) return next.resolve(worker)
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
    next?.resolve(this.#start())
  }
}

function processingError(name: string, what: string, cause?: unknown): BowlineError {
  return new BowlineError('SCRAPE_SITE_ERROR', `Processing ${name} ${what}`, { cause })
}
