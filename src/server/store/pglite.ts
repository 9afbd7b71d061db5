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

const longestTimerMs = 2 ** 31 - 1

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
  const ready = Promise.withResolvers<void>()
  let state: 'opening' | 'open' | 'closing' | 'closed' = 'opening'
  let lastFailure: Error | undefined
  let lastId = 0
  // An open question keeps the process alive, an idle store does not. The thread cannot stand for this itself: when it
  // dies it lets the process go before it is known that nobody will answer.
  const presence = setInterval(() => undefined, longestTimerMs).unref()

  const onDeath = (cause: unknown): void => {
    const event = state === 'opening' ? 'could not be opened' : 'has stopped'
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    const error = new BowlineError('STORE_FAILED', `The embedded database in ${options.folder} ${event}${reason}`, {
      cause,
    })
    ready.reject(error)
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    clearInterval(presence)
    if (state === 'open') died.resolve(error)
    state = 'closed'
  }
  const onReply = (reply: ThreadReply): void => {
    if (reply.kind === 'ready') return ready.resolve()
    const request = waiting.get(reply.id)
    waiting.delete(reply.id)
    if (waiting.size === 0) presence.unref()
    if (reply.kind === 'result') return request?.resolve(reply.results)
    lastFailure = toError(reply.error)
    return request?.reject(lastFailure)
  }
  thread.on('error', onDeath)
  thread.on('exit', () => onDeath(lastFailure))
  thread.on('message', onReply)
  await ready.promise
  state = 'open'
  thread.unref()

  const ask = async (question: Question): Promise<readonly StatementResult[]> => {
    if (state === 'closed')
      throw new BowlineError('STORE_FAILED', `The embedded database in ${options.folder} is closed`)
    const answer: Waiting = Promise.withResolvers()
    const id = ++lastId
    waiting.set(id, answer)
    presence.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
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
