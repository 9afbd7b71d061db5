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
 * Maximum duration in milliseconds for the texts that are sent at once. Some expressions take
 * exponential time on some texts.
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

/**
 * Characters of the texts that are sent to the process at once. Sending 100,000 URLs of 2 kB takes
 * seconds on a busy machine, which would count as the time of the expressions.
 */
const partLength = 4_000_000

const processLimits = { heapMb: 256, limitMs: limitMs + hangMs }

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
    const result = { matches: [] as boolean[], ms: 0 }
    for (const part of partsOf(texts)) {
      const outcome = await this.#process.run(teamId, { texts: part, include, exclude, limitMs })
      if (outcome === undefined) throw this.#failure('matching took too much time or memory')
      if ('error' in outcome) throw this.#failure(outcome.error ?? `matching took longer than ${limitMs} ms`)
      for (const matches of outcome.matches) result.matches.push(matches)
      result.ms += outcome.ms
    }
    return result
  }

  #failure(error: string): BowlineError {
    // The process was killed by the shutdown, so the expressions are not to blame.
    if (this.#process.isDisposed) return new BowlineError('DRAINING', 'This server is shutting down')
    return new BowlineError('BAD_REQUEST', `Invalid includePaths or excludePaths: ${error}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }
}

function* partsOf(texts: readonly string[]): Generator<readonly string[]> {
  let part: string[] = []
  let length = 0
  for (const text of texts) {
    part.push(text)
    length += text.length
    if (length < partLength) continue
    yield part
    part = []
    length = 0
  }
  if (part.length > 0) yield part
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
