import type { ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { abortable, type Abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { HtmlJob, ProcessedHtml } from './process-html.ts'
import type { RedactOptions } from 'bowline/contract/redaction'
import type { ProcessJob, ProcessResponse, ProcessResults } from './html-process.ts'
import type { LineDiff } from './line-diff.ts'
import { RunningTimeout } from '../../kit/running-timeout.ts'
import { forkHelper, killHelper } from '../../kit/fork-helper.ts'

/** Options of `HtmlProcesses`. */
export interface HtmlProcessesOptions {
  /** Maximum number of processes. Default: the number of CPUs, at most 4. */
  readonly processes?: number | undefined
  /**
   * Time limit for one page in milliseconds. Its process is killed when it expires.
   * Default: 20000.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Milliseconds without work after which a process with a large heap is killed. Default: 5000.
   */
  readonly idleMs?: number | undefined
}

const maxProcesses = 4
const heapMb = 1024

const program = fileURLToPath(new URL(`./html-process${extname(import.meta.filename)}`, import.meta.url))

/**
 * Heap size in bytes above which a process is killed after its page, or when it is idle: V8 does
 * not shrink the heap of an idle process.
 */
const maxHeapBytes = 256_000_000
const maxIdleHeapBytes = 64_000_000

/**
 * Processes that process HTML and texts made of it. A page that hangs or exhausts its memory costs
 * a process, not the server. Escaping 20 million asterisks, for example, exceeds the heap in one
 * operation.
 */
export class HtmlProcesses implements AsyncDisposable {
  readonly #processes: number
  readonly #timeoutMs: number
  readonly #idleMs: number
  readonly #idle: { readonly child: ChildProcess; readonly end: NodeJS.Timeout | undefined }[] = []
  readonly #heapBytes = new WeakMap<ChildProcess, number>()
  readonly #all = new Set<ChildProcess>()
  readonly #queue: PromiseWithResolvers<ChildProcess>[] = []

  constructor({ processes, timeoutMs = 20_000, idleMs = 5000 }: HtmlProcessesOptions = {}) {
    this.#processes = processes ?? Math.min(maxProcesses, availableParallelism())
    this.#timeoutMs = timeoutMs
    this.#idleMs = idleMs
  }

  /** Ids of the running processes. */
  get pids(): readonly number[] {
    return [...this.#all].flatMap(({ pid }) => pid ?? [])
  }

  /** Processes a page. Throws BAD_REQUEST, SCRAPE_SITE_ERROR, or the signal's reason. */
  async run(page: HtmlJob, options: Abortable = {}): Promise<ProcessedHtml> {
    const name = `${page.url === '' ? 'The file' : page.url} (${(page.html.length / 1e6).toFixed(1)} MB)`
    return this.#execute({ kind: 'page', page }, name, options)
  }

  /** Redacts personal data in a text. Throws SCRAPE_SITE_ERROR, or the signal's reason. */
  async redact(text: string, redaction: RedactOptions, options: Abortable = {}): Promise<string> {
    const name = `Markdown (${(text.length / 1e6).toFixed(1)} MB)`
    return this.#execute({ kind: 'redact', text, options: redaction }, name, options)
  }

  /** Compares two texts by line. Throws SCRAPE_SITE_ERROR, or the signal's reason. */
  async compare(before: string, after: string, options: Abortable = {}): Promise<LineDiff> {
    const name = `two versions (${((before.length + after.length) / 1e6).toFixed(1)} MB)`
    return this.#execute({ kind: 'compare', before, after }, name, options)
  }

  async #execute<Job extends ProcessJob>(
    job: Job,
    name: string,
    { signal }: Abortable,
  ): Promise<ProcessResults[Job['kind']]> {
    const child = await this.#acquire(signal)
    using limit = new RunningTimeout(this.#timeoutMs)
    const response = Promise.withResolvers<ProcessResponse>()
    const onEnd = (cause: unknown): void => response.reject(processingError(name, 'ran out of memory', cause))
    child.once('message', response.resolve).once('error', onEnd).once('exit', onEnd)
    let outcome: ProcessResponse | undefined
    // Only work keeps this process running.
    child.channel?.ref()
    try {
      child.send(job, () => undefined)
      outcome = await abortable(response.promise, mergeSignals(limit.signal, signal))
    } catch (error) {
      signal?.throwIfAborted()
      if (limit.isOver) throw processingError(name, `took more than ${this.#timeoutMs / 1000} s`, error)
      throw error
    } finally {
      child.channel?.unref()
      child.off('message', response.resolve).off('error', onEnd).off('exit', onEnd)
      this.#heapBytes.set(child, outcome?.heapBytes ?? 0)
      if (outcome === undefined || outcome.heapBytes > maxHeapBytes) this.#end(child)
      else this.#release(child)
    }
    if (outcome.kind === 'done') return outcome.result as ProcessResults[Job['kind']]
    throw new BowlineError(outcome.code, outcome.message, { hint: outcome.hint })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { end } of this.#idle) clearTimeout(end)
    await Promise.all([...this.#all].map(killHelper))
  }

  async #acquire(signal: AbortSignal | undefined): Promise<ChildProcess> {
    const idle = this.#idle.pop()
    clearTimeout(idle?.end)
    if (idle !== undefined) return idle.child
    if (this.#all.size < this.#processes) return this.#start()
    const next = Promise.withResolvers<ChildProcess>()
    this.#queue.push(next)
    try {
      return await abortable(next.promise, signal)
    } catch (error) {
      const index = this.#queue.indexOf(next)
      if (index === -1) void next.promise.then((child) => this.#release(child))
      else this.#queue.splice(index, 1)
      throw error
    }
  }

  #start(): ChildProcess {
    const child = forkHelper(program, heapMb)
    child.unref()
    child.channel?.unref()
    // A process may fail while no job listens to it.
    child.on('error', () => undefined)
    child.on('exit', () => this.#forget(child))
    this.#all.add(child)
    return child
  }

  #release(child: ChildProcess): void {
    const next = this.#queue.shift()
    if (next !== undefined) return next.resolve(child)
    const hasGrown = (this.#heapBytes.get(child) ?? 0) > maxIdleHeapBytes
    const end = hasGrown ? setTimeout(() => this.#end(child), this.#idleMs).unref() : undefined
    this.#idle.push({ child, end })
  }

  #forget(child: ChildProcess): void {
    this.#all.delete(child)
    const index = this.#idle.findIndex((each) => each.child === child)
    if (index !== -1) this.#idle.splice(index, 1)
  }

  #end(child: ChildProcess): void {
    this.#forget(child)
    void killHelper(child)
    const next = this.#queue.shift()
    next?.resolve(this.#start())
  }
}

function processingError(name: string, what: string, cause?: unknown): BowlineError {
  return new BowlineError('SCRAPE_SITE_ERROR', `Processing ${name} ${what}`, {
    cause,
    hint: 'Request other `formats`.',
  })
}
