import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import { BowlineError } from 'bowline/kit/errors'
import { FairQueue } from '../kit/fair-queue.ts'
import type { MatchAnswer, MatchJob } from './pattern-worker.ts'

/** Regular expressions for texts. */
export interface Patterns {
  /** One of which has to match. Empty: none has to. */
  readonly include: readonly string[]
  /** None of which may match. */
  readonly exclude: readonly string[]
  /** Whose they are. */
  readonly teamId: string
}

/** Longest time in milliseconds for the texts of one call: some expressions take for ever on some texts. */
const limitMs = 500

/** Milliseconds beyond the limit until a thread that does not end its work by itself is ended. */
const hangMs = 1000

/** Longest time in milliseconds for all calls of one crawl, or of one check of a monitor. */
export const matchingBudgetMs = 30_000

/** Which texts match, and how long it took to tell. */
export interface Matched {
  readonly matches: readonly boolean[]
  readonly ms: number
}

const heapMb = 128

/**
 * Matches texts with regular expressions of callers in a thread of its own, one call at a time, the teams that wait
 * in turn: a team whose calls are slow delays the others by one of them, 500 ms. Expressions keep the
 * syntax of JavaScript, with lookarounds and references, which engines with linear time do not have; so their time is limited.
 */
export class PatternMatcher implements AsyncDisposable {
  #worker: Worker | undefined
  readonly #turns = new FairQueue()
  #isDisposed = false

  /** Which texts match. Throws BAD_REQUEST when an expression is none, or takes longer than 500 ms; DRAINING. */
  async match(texts: readonly string[], { include, exclude, teamId }: Patterns): Promise<Matched> {
    if (include.length + exclude.length === 0) return { matches: texts.map(() => true), ms: 0 }
    const answer = await this.#turns.run(teamId, async () => this.#run({ texts, include, exclude, limitMs }))
    // The thread was ended with the server: nothing is wrong with the expressions.
    if (this.#isDisposed && 'error' in answer) throw new BowlineError('DRAINING', 'This server is shutting down')
    if ('matches' in answer) return answer
    throw new BowlineError('BAD_REQUEST', `includePaths and excludePaths cannot be used: ${answer.error}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    await this.#worker?.terminate()
  }

  async #run(job: MatchJob): Promise<MatchAnswer> {
    const worker = (this.#worker ??= await start())
    if (this.#isDisposed) {
      await worker.terminate()
      return { error: 'the server is shutting down' }
    }
    const answer = Promise.withResolvers<MatchAnswer>()
    const onEnd = (): void => answer.resolve({ error: 'the expressions took too much time or memory' })
    const timer = setTimeout(onEnd, limitMs + hangMs)
    worker.once('message', answer.resolve).once('error', onEnd).once('exit', onEnd)
    worker.postMessage(job)
    let isAlive = false
    worker.once('message', () => {
      isAlive = true
    })
    try {
      return await answer.promise
    } finally {
      clearTimeout(timer)
      worker.off('message', answer.resolve).off('error', onEnd).off('exit', onEnd)
      if (!isAlive) {
        this.#worker = undefined
        await worker.terminate()
      }
    }
  }
}

/** The error of calls that took all of the time that they have together. */
export function overBudget(what: string): BowlineError {
  return new BowlineError(
    'BAD_REQUEST',
    `includePaths and excludePaths cannot be used: matching them took longer than ${matchingBudgetMs / 1000} s in this ${what}`,
    { hint: 'Use fewer or simpler expressions: nested repetitions such as (a+)+ are slow.' },
  )
}

async function start(): Promise<Worker> {
  const worker = new Worker(new URL(`./pattern-worker${extname(import.meta.filename)}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    env: {},
  })
  worker.on('error', () => undefined)
  // The time that a thread takes to start is not that of the expressions.
  await once(worker, 'online')
  worker.unref()
  return worker
}
