import { matchingBudgetMs, overBudget, PatternMatcher } from '../map/match-patterns.ts'

/**
 * Matches addresses with the expressions of the targets of one check, at most 30 s in all. The time is counted in this
 * process alone: a check that another server takes over begins anew, which takes the end of a server each time, and a check
 * is begun only a few times.
 */
export class CheckMatching implements AsyncDisposable {
  /** A thread for each check, of which a server does few at a time: none waits for another. */
  readonly #matcher = new PatternMatcher()
  #usedMs = 0

  /** Which texts match. Throws BAD_REQUEST when the expressions cannot be used, or the time of the check is used up. */
  async match(
    texts: readonly string[],
    patterns: { readonly include: readonly string[]; readonly exclude: readonly string[] },
  ): Promise<readonly boolean[]> {
    if (this.#usedMs > matchingBudgetMs) throw overBudget('check')
    const startedAt = performance.now()
    try {
      return (await this.#matcher.match(texts, { ...patterns, teamId: '' })).matches
    } finally {
      this.#usedMs += performance.now() - startedAt
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#matcher[Symbol.asyncDispose]()
  }
}
