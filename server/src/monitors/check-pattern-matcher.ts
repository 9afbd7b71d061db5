import { matchingBudgetMs, matchingBudgetExceeded, PatternMatcher } from '../map/pattern-matcher.ts'

/**
 * Matches URLs against the regular expressions of one check, for at most 30 s in total. The time is
 * counted in this process only: a check that another server takes over starts from zero, but the
 * number of its attempts is limited.
 */
export class CheckPatternMatcher implements AsyncDisposable {
  /** One process per check. A server runs only a few checks at once, so none waits for another. */
  readonly #matcher = new PatternMatcher()
  #usedMs = 0

  /**
   * Returns which texts match. Throws BAD_REQUEST for invalid or slow regular expressions, or if
   * the time of the check is used up.
   */
  async match(
    texts: readonly string[],
    patterns: { readonly include: readonly string[]; readonly exclude: readonly string[] },
  ): Promise<readonly boolean[]> {
    if (this.#usedMs > matchingBudgetMs) throw matchingBudgetExceeded('check')
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
