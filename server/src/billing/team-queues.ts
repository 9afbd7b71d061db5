import { sleep } from 'bowline/kit/sleep'
import { mergeSignals } from 'bowline/kit/abort'
import { longestTimerMs } from 'bowline/kit/longest-timer'

/** One FIFO queue per team. Work of one team never waits for that of another. */
export class TeamQueues {
  /** Tail of each team's queue. */
  readonly #tails = new Map<string, Promise<void>>()
  readonly #waiting = new Map<string, number>()

  /** Whether no work of the team waits. */
  isEmpty(teamId: string): boolean {
    return !this.#tails.has(teamId)
  }

  /** Counts the team's work that waits. */
  waiting(teamId: string): number {
    return this.#waiting.get(teamId) ?? 0
  }

  /**
   * Runs a function when it is the turn of the work, or at `untilMs` of `performance.now()`. Throws
   * the signal's reason.
   */
  async wait<Result>(
    teamId: string,
    { untilMs, signal: cancelled }: { readonly untilMs: number; readonly signal?: AbortSignal | undefined },
    run: () => Promise<Result>,
  ): Promise<Result> {
    const before = this.#tails.get(teamId)
    const turn = Promise.withResolvers<void>()
    this.#tails.set(teamId, turn.promise)
    this.#count(teamId, 1)
    // Clears the timer when the turn comes: with a long `untilMs` it would run for weeks.
    const waitEnd = new AbortController()
    const signal = mergeSignals(waitEnd.signal, cancelled)
    try {
      const leftMs = Math.min(longestTimerMs, Math.max(0, untilMs - performance.now()))
      await Promise.race([before, sleep(leftMs, signal)])
      return await run()
    } finally {
      waitEnd.abort()
      this.#count(teamId, -1)
      // If work leaves before its turn, later work still waits for earlier work.
      turn.resolve(before)
      void turn.promise.then(() => {
        if (this.#tails.get(teamId) === turn.promise) this.#tails.delete(teamId)
      })
    }
  }

  /** Resolves when it is the turn of the caller, until the result is disposed of. */
  async awaitTurn(teamId: string, signal: AbortSignal): Promise<Disposable> {
    const turn = Promise.withResolvers<Disposable>()
    const left = Promise.withResolvers<void>()
    this.wait(teamId, { untilMs: Infinity, signal }, async () => {
      turn.resolve({ [Symbol.dispose]: () => left.resolve() })
      await left.promise
    }).catch(turn.reject)
    return turn.promise
  }

  #count(teamId: string, change: number): void {
    const count = this.waiting(teamId) + change
    if (count === 0) this.#waiting.delete(teamId)
    else this.#waiting.set(teamId, count)
  }
}
