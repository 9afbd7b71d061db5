import { Worker } from 'node:worker_threads'
import { BowlineError } from 'bowline/kit/errors'
import { longestTimerMs } from 'bowline/kit/longest-timer'
import type { ErrorFields, StatementResult, ThreadOptions, ThreadReply, ThreadRequest } from './pglite-message.ts'

/** PostgreSQL inside this process: a thread that answers one request after another. */
export interface Pglite extends AsyncDisposable {
  /** Runs one statement with `$1`-style parameters. */
  readonly query: (sql: string, parameters: readonly unknown[]) => Promise<StatementResult>
  /** Runs statements separated by semicolons as one unit of work. */
  readonly exec: (sql: string) => Promise<readonly StatementResult[]>
  /** Settles with an error if the thread ends by itself, and never otherwise. */
  readonly died: Promise<BowlineError>
}

/** Opens the cluster in `folder`, making it when absent. Throws `STORE_FAILED` when it cannot be opened. */
export async function startPglite(options: ThreadOptions): Promise<Pglite> {
  const thread = new PgliteThread(options)
  await thread.ready
  return {
    query: async (sql, parameters) => {
      const [result] = await thread.ask({ kind: 'query', sql, parameters })
      return result ?? { command: '', rowCount: 0, rows: [] }
    },
    exec: (sql) => thread.ask({ kind: 'exec', sql }),
    died: thread.died,
    [Symbol.asyncDispose]: () => thread.close(),
  }
}

type Waiting = PromiseWithResolvers<readonly StatementResult[]>
type RequestBody = ThreadRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never

/** The near end of the thread: matches answers with questions, and notices its death. */
class PgliteThread {
  readonly #folder: string
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #ready = Promise.withResolvers<void>()
  readonly #died = Promise.withResolvers<BowlineError>()
  // An open question keeps the process alive, an idle store does not. The thread cannot stand for this itself: when it
  // dies it lets the process go before it is known that nobody will answer.
  readonly #keepAlive = setInterval(() => undefined, longestTimerMs).unref()
  #state: 'opening' | 'open' | 'closing' | 'closed' = 'opening'
  #lastFailure: Error | undefined
  #lastId = 0

  constructor(options: ThreadOptions) {
    this.#folder = options.folder
    // The thread's file lies beside this one, as source or as built.
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

  async ask(question: RequestBody): Promise<readonly StatementResult[]> {
    if (this.#state === 'closed') throw this.#failure('is closed', undefined)
    const answer: Waiting = Promise.withResolvers()
    this.#lastId += 1
    this.#waiting.set(this.#lastId, answer)
    this.#keepAlive.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage({ ...question, id: this.#lastId })
    return answer.promise
  }

  async close(): Promise<void> {
    if (this.#state !== 'open') return
    this.#state = 'closing'
    // Closing the cluster writes a checkpoint; one that fails is made up for by recovery at the next start.
    await this.ask({ kind: 'close' }).catch(() => undefined)
    await this.#worker.terminate()
  }

  #onReply(reply: ThreadReply): void {
    if (reply.kind === 'ready') {
      this.#state = 'open'
      this.#worker.unref()
      this.#ready.resolve()
      return
    }
    const request = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (this.#waiting.size === 0) this.#keepAlive.unref()
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
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    clearInterval(this.#keepAlive)
    if (this.#state === 'open') this.#died.resolve(error)
    this.#state = 'closed'
  }

  #failure(event: string, cause: unknown): BowlineError {
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    return new BowlineError('STORE_FAILED', `The embedded database in ${this.#folder} ${event}${reason}`, { cause })
  }
}

/** An error of PostgreSQL, with its SQLSTATE in `code` as `pg` has it. */
function toError({ message, ...fields }: ErrorFields): Error {
  return Object.assign(new Error(message), fields)
}
