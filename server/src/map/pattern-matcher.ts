import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import { BowlineError } from 'bowline/kit/errors'
import { FairQueue } from '../kit/fair-queue.ts'
import type { MatchOutcome, MatchJob } from './pattern-worker.ts'
import { threadEnvironment } from '../kit/thread-environment.ts'

/** Regular expressions to match texts with. */
export interface Patterns {
  /** One of these must match. Empty: every text matches. */
  readonly include: readonly string[]
  /** None of these may match. */
  readonly exclude: readonly string[]
  /** The team that waits for the result. */
  readonly teamId: string
}

/**
 * Maximum duration of one call in milliseconds. Some expressions take exponential time on some
 * texts.
 */
const limitMs = 500

/**
 * Milliseconds after that limit until an unresponsive thread is terminated. On a busy machine, the
 * thread may be scheduled late.
 */
const hangMs = 5000

/** Maximum duration in milliseconds of all calls of one crawl, or of one check of a monitor. */
export const matchingBudgetMs = 30_000

/** Which texts match, and the milliseconds it took. */
export interface MatchResult {
  readonly matches: readonly boolean[]
  readonly ms: number
}

const heapMb = 128

/**
 * Matches texts against regular expressions of users in a worker thread, one call at a time and
 * fairly between teams: a team with slow calls delays the others by one of them, 500 ms. The time
 * limit is needed because expressions have full JavaScript syntax with lookarounds and
 * backreferences, which linear-time engines do not support.
 */
export class PatternMatcher implements AsyncDisposable {
  #worker: Worker | undefined
  readonly #turns = new FairQueue()
  #isDisposed = false

  /**
   * Returns which texts match. Throws BAD_REQUEST for an invalid expression or one that takes
   * longer than 500 ms, or DRAINING.
   */
  async match(texts: readonly string[], { include, exclude, teamId }: Patterns): Promise<MatchResult> {
    if (include.length + exclude.length === 0) return { matches: texts.map(() => true), ms: 0 }
    const outcome = await this.#turns.run(teamId, async () => this.#run({ texts, include, exclude, limitMs }))
    // The thread was terminated by the shutdown, so the expressions are not to blame.
    if (this.#isDisposed && 'error' in outcome) throw new BowlineError('DRAINING', 'This server is shutting down')
    if ('matches' in outcome) return outcome
    throw new BowlineError('BAD_REQUEST', `Invalid includePaths or excludePaths: ${outcome.error}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    await this.#worker?.terminate()
  }

  async #run(job: MatchJob): Promise<MatchOutcome> {
    const worker = (this.#worker ??= await start())
    if (this.#isDisposed) {
      await worker.terminate()
      return { error: 'the server is shutting down' }
    }
    const outcome = Promise.withResolvers<MatchOutcome>()
    const onFailure = (): void => outcome.resolve({ error: 'matching took too much time or memory' })
    const timer = setTimeout(onFailure, limitMs + hangMs)
    worker.once('message', outcome.resolve).once('error', onFailure).once('exit', onFailure)
    worker.postMessage(job)
    let isAlive = false
    worker.once('message', () => {
      isAlive = true
    })
    try {
      return await outcome.promise
    } finally {
      clearTimeout(timer)
      worker.off('message', outcome.resolve).off('error', onFailure).off('exit', onFailure)
      if (!isAlive) {
        this.#worker = undefined
        await worker.terminate()
      }
    }
  }
}

/**
 * Creates the error for calls that exceed their budget. `scope` is what has the budget, such as
 * "crawl".
 */
export function matchingBudgetExceeded(scope: string): BowlineError {
  return new BowlineError(
    'BAD_REQUEST',
    `Invalid includePaths or excludePaths: matching them took longer than ${matchingBudgetMs / 1000} s in this ${scope}`,
    { hint: 'Use fewer or simpler expressions: nested repetitions such as (a+)+ are slow.' },
  )
}

async function start(): Promise<Worker> {
  const worker = new Worker(new URL(`./pattern-worker${extname(import.meta.filename)}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    env: threadEnvironment(),
  })
  worker.on('error', () => undefined)
  // Loading the thread's modules must not count as matching time: it takes seconds on a busy machine.
  await once(worker, 'message')
  worker.unref()
  return worker
}
