import { Worker } from 'node:worker_threads'
import { BowlineError } from 'bowline/kit/errors'
import { longestTimerMs } from 'bowline/kit/longest-timer'
import type { ErrorFields, StatementResult, ThreadOptions, ThreadReply, ThreadRequest } from './pglite-message.ts'
import { isDiskFull, storeUnavailable } from './unavailable.ts'

/** PostgreSQL in a worker thread of this process. Handles one request at a time. */
export interface Pglite extends AsyncDisposable {
  /**
   * Runs a statement with `$1`-style parameters. `keepsJson`: returns JSON columns as text.
   * Default: parsed.
   */
  readonly query: (
    sql: string,
    parameters: readonly unknown[],
    options?: { readonly keepsJson: boolean },
  ) => Promise<StatementResult>
  /** Runs several statements, separated by semicolons, in one transaction. */
  readonly exec: (sql: string) => Promise<readonly StatementResult[]>
  /** Resolves with an error if the thread exits unexpectedly. Otherwise stays pending. */
  readonly died: Promise<BowlineError>
}

/**
 * Opens the cluster in `folder` and creates it if needed. Throws STORE_FAILED if it cannot be
 * opened.
 */
export async function startPglite(options: ThreadOptions): Promise<Pglite> {
  const thread = new PgliteThread(options)
  await thread.ready
  return {
    query: async (sql, parameters, { keepsJson } = { keepsJson: false }) => {
      const [result] = await thread.send({ kind: 'query', sql, parameters, keepsJson })
      return result ?? { command: '', rowCount: 0, rows: [] }
    },
    exec: (sql) => thread.send({ kind: 'exec', sql }),
    died: thread.died,
    [Symbol.asyncDispose]: () => thread.close(),
  }
}

type PendingReply = PromiseWithResolvers<readonly StatementResult[]>
type RequestBody = ThreadRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never

/** Client of the PGlite thread: matches replies to requests and detects its exit. */
class PgliteThread {
  readonly #folder: string
  readonly #worker: Worker
  readonly #pending = new Map<number, PendingReply>()
  readonly #ready = Promise.withResolvers<void>()
  readonly #died = Promise.withResolvers<BowlineError>()
  // Keeps the process alive while a request is pending. A ref on the thread is not enough: if the
  // thread dies, the process could exit before the pending requests are rejected.
  readonly #keepAlive = setInterval(() => undefined, longestTimerMs).unref()
  #state: 'opening' | 'open' | 'closing' | 'closed' = 'opening'
  #lastFailure: Error | undefined
  #lastId = 0

  constructor(options: ThreadOptions) {
    this.#folder = options.folder
    // The thread's entry point is next to this file, as source or built.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    this.#worker = new Worker(new URL(`./pglite-thread.${extension}`, import.meta.url), { workerData: options })
    this.#worker.on('message', (reply: ThreadReply) => this.#onReply(reply))
    this.#worker.on('error', (error) => this.#onDeath(error))
    this.#worker.on('exit', () => this.#onDeath(this.#lastFailure))
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get died(): Promise<BowlineError> {
    return this.#died.promise
  }

  async send(body: RequestBody): Promise<readonly StatementResult[]> {
    if (this.#state === 'closed') throw this.#failure('is closed', undefined)
    const reply: PendingReply = Promise.withResolvers()
    this.#lastId += 1
    this.#pending.set(this.#lastId, reply)
    this.#keepAlive.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage({ ...body, id: this.#lastId })
    return reply.promise
  }

  async close(): Promise<void> {
    if (this.#state !== 'open') return
    this.#state = 'closing'
    // Writes a checkpoint. If that fails, the next start recovers from the log.
    await this.send({ kind: 'close' }).catch(() => undefined)
    await this.#worker.terminate()
  }

  #onReply(reply: ThreadReply): void {
    if (reply.kind === 'ready') {
      this.#state = 'open'
      this.#worker.unref()
      this.#ready.resolve()
      return
    }
    const request = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (this.#pending.size === 0) this.#keepAlive.unref()
    if (reply.kind === 'result') {
      request?.resolve(reply.results)
      return
    }
    this.#lastFailure = toError(reply.error)
    request?.reject(this.#lastFailure)
  }

  #onDeath(cause: unknown): void {
    const error = this.#failure(this.#state === 'opening' ? 'could not be opened' : 'has stopped', cause)
    this.#ready.reject(error)
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
    clearInterval(this.#keepAlive)
    if (this.#state === 'open') this.#died.resolve(error)
    this.#state = 'closed'
  }

  #failure(event: string, cause: unknown): BowlineError {
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    return new BowlineError('STORE_FAILED', `The embedded database in ${this.#folder} ${event}${reason}`, { cause })
  }
}

/**
 * Creates a PostgreSQL error with its SQLSTATE in `code`, like `pg`. For a full disk, creates
 * STORE_UNAVAILABLE: space may be freed.
 */
function toError({ message, ...fields }: ErrorFields): Error {
  const error = Object.assign(new Error(message), fields)
  return isDiskFull(error) ? storeUnavailable(error) : error
}
