/** Ends of sessions that are remembered. */
const maxEnds = 20

/** Milliseconds after which an end says nothing about the next one. */
const maxAgeMs = 600_000

/** Estimates when slots become free, from the sessions that ended recently on this node. */
export class SlotEstimate {
  readonly #ends: { readonly teamId: string; readonly atMs: number }[] = []

  /** Records that a session of a team has ended. */
  record(teamId: string, atMs: number = performance.now()): void {
    this.#ends.push({ teamId, atMs })
    if (this.#ends.length > maxEnds) this.#ends.shift()
  }

  /**
   * Returns the seconds until `position` slots have become free. Uses the rate of recent ends, and
   * at most the remaining lifetimes `leftMs` of the sessions that hold the slots. `null` if both
   * are unknown.
   */
  secondsUntil(
    position: number,
    { teamId, leftMs }: { readonly teamId?: string | undefined; readonly leftMs: readonly number[] },
    nowMs: number = performance.now(),
  ): number | null {
    const [first, ...others] = this.#ends.filter(
      (end) => nowMs - end.atMs < maxAgeMs && (teamId === undefined || end.teamId === teamId),
    )
    // One end has no rate.
    const byRate =
      first === undefined || others.length === 0 ? Infinity : (position * (nowMs - first.atMs)) / others.length
    const byLifetime = leftMs.toSorted((left, right) => left - right)[position - 1] ?? Infinity
    const waitMs = Math.min(byRate, byLifetime)
    return Number.isFinite(waitMs) ? Math.max(0, Math.ceil(waitMs / 1000)) : null
  }
}
