import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FairQueue } from './fair-queue.ts'
import { threadEnvironment } from './thread-environment.ts'

/** Limits of a `FairThread`. */
export interface FairThreadLimits {
  readonly heapMb: number
  /** Maximum duration of a job in milliseconds. Programs should interrupt their own work before. */
  readonly limitMs: number
}

/**
 * A worker thread for work on untrusted input that could block the server, such as regular
 * expressions of users. Runs one job at a time, fairly between teams. Starts with the first job and
 * is replaced after one that fails. Its program sends a message once it has loaded, and one for
 * each job.
 */
export class FairThread<Job, Outcome> implements AsyncDisposable {
  readonly #program: URL
  readonly #limits: FairThreadLimits
  readonly #turns = new FairQueue()
  #worker: Worker | undefined
  #isDisposed = false

  constructor(program: URL, limits: FairThreadLimits) {
    this.#program = program
    this.#limits = limits
  }

  /** Whether the thread was terminated by a shutdown, so that jobs have no outcome. */
  get isDisposed(): boolean {
    return this.#isDisposed
  }

  /** Runs a job. Resolves to `undefined` if it takes too much time or memory, or after disposal. */
  async run(teamId: string, job: Job): Promise<Outcome | undefined> {
    return this.#turns.run(teamId, async () => this.#execute(job))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    await this.#worker?.terminate()
  }

  async #execute(job: Job): Promise<Outcome | undefined> {
    if (this.#isDisposed) return undefined
    const worker = (this.#worker ??= await this.#start())
    if (this.#isDisposed) {
      await worker.terminate()
      return undefined
    }
    const failed = new AbortController()
    const fail = (): void => failed.abort()
    const timer = setTimeout(fail, this.#limits.limitMs)
    worker.once('exit', fail)
    try {
      const answered = once(worker, 'message', { signal: failed.signal })
      worker.postMessage(job)
      const [outcome] = (await answered) as [Outcome]
      return outcome
    } catch {
      this.#worker = undefined
      await worker.terminate()
      return undefined
    } finally {
      clearTimeout(timer)
      worker.off('exit', fail)
    }
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(this.#program, {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb },
      env: threadEnvironment(),
    })
    worker.on('error', () => undefined)
    // Loading the thread's modules must not count as working time: it takes seconds on a busy
    // machine.
    await once(worker, 'message')
    worker.unref()
    return worker
  }
}
