import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { BowlineError } from '../../kit/errors.ts'
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

type Waiting = PromiseWithResolvers<readonly StatementResult[]>
type Question = ThreadRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never

/** An error of PostgreSQL, with its SQLSTATE in `code` as `pg` has it. */
const toError = ({ message, ...fields }: ErrorFields): Error => Object.assign(new Error(message), fields)

/** Opens the cluster in `folder`, making it when absent. Throws `STORE_FAILED` when it cannot be opened. */
export const startPglite = async (options: ThreadOptions): Promise<Pglite> => {
  // The thread's file lies beside this one, as source or as built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const thread = new Worker(new URL(`./pglite-thread.${extension}`, import.meta.url), { workerData: options })
  const waiting = new Map<number, Waiting>()
  const died = Promise.withResolvers<BowlineError>()
  let state: 'open' | 'closing' | 'closed' = 'open'
  let lastId = 0

  const onDeath = (cause?: unknown): void => {
    const error = new BowlineError('STORE_FAILED', `The embedded database in ${options.folder} has stopped`, { cause })
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    if (state === 'open') died.resolve(error)
    state = 'closed'
  }
  thread.on('error', onDeath)
  thread.on('exit', () => onDeath())
  await Promise.race([once(thread, 'message'), died.promise.then((error) => Promise.reject(error))])
  thread.on('message', (reply: Exclude<ThreadReply, { kind: 'ready' }>) => {
    const request = waiting.get(reply.id)
    waiting.delete(reply.id)
    // An idle store is no reason for the process to stay.
    if (waiting.size === 0) thread.unref()
    if (reply.kind === 'result') request?.resolve(reply.results)
    else request?.reject(toError(reply.error))
  })
  thread.unref()

  const ask = async (question: Question): Promise<readonly StatementResult[]> => {
    if (state === 'closed')
      throw new BowlineError('STORE_FAILED', `The embedded database in ${options.folder} is closed`)
    const answer: Waiting = Promise.withResolvers()
    const id = ++lastId
    waiting.set(id, answer)
    thread.ref()
    thread.postMessage({ ...question, id })
    return answer.promise
  }

  const close = async (): Promise<void> => {
    if (state !== 'open') return
    state = 'closing'
    // Closing the cluster writes a checkpoint; one that fails is made up for by recovery at the next start.
    await ask({ kind: 'close' }).catch(() => undefined)
    await thread.terminate()
  }

  return {
    query: async (sql, parameters) => {
      const [result] = await ask({ kind: 'query', sql, parameters })
      return result ?? { command: '', rowCount: 0, rows: [] }
    },
    exec: (sql) => ask({ kind: 'exec', sql }),
    died: died.promise,
    [Symbol.asyncDispose]: close,
  }
}
