import { extname } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'
import { FairProcess } from '../kit/fair-process.ts'
import type { MatchOutcome, MatchJob } from './pattern-process.ts'

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
 * Milliseconds after that limit until an unresponsive process is killed. On a busy machine, the
 * process may be scheduled late.
 */
const hangMs = 5000

/** Maximum duration in milliseconds of all calls of one crawl, or of one check of a monitor. */
export const matchingBudgetMs = 30_000

/** Which texts match, and the milliseconds it took. */
export interface MatchResult {
  readonly matches: readonly boolean[]
  readonly ms: number
}

const program = new URL(`./pattern-process${extname(import.meta.filename)}`, import.meta.url)

/** Up to 100,000 URLs of 2 kB must fit. */
const processLimits = { heapMb: 512, limitMs: limitMs + hangMs }

/**
 * Matches texts against regular expressions of users in a process, one call at a time and fairly
 * between teams: a team with slow calls delays the others by one of them, 500 ms. The time limit is
 * needed because expressions have full JavaScript syntax with lookarounds and backreferences, which
 * linear-time engines do not support.
 */
export class PatternMatcher implements AsyncDisposable {
  readonly #process = new FairProcess<MatchJob, MatchOutcome>(program, processLimits)

  /**
   * Returns which texts match. Throws BAD_REQUEST for an invalid expression or one that takes
   * longer than 500 ms, or DRAINING.
   */
  async match(texts: readonly string[], { include, exclude, teamId }: Patterns): Promise<MatchResult> {
    if (include.length + exclude.length === 0) return { matches: texts.map(() => true), ms: 0 }
    const job = { texts, include, exclude, limitMs }
    const outcome = (await this.#process.run(teamId, job)) ?? { error: 'matching took too much time or memory' }
    // The process was killed by the shutdown, so the expressions are not to blame.
    if (this.#process.isDisposed && 'error' in outcome)
      throw new BowlineError('DRAINING', 'This server is shutting down')
    if ('matches' in outcome) return outcome
    throw new BowlineError('BAD_REQUEST', `Invalid includePaths or excludePaths: ${outcome.error}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
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
