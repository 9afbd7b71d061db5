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

  /** Returns the seconds until `position` slots have become free, as `estimator` does. */
  secondsUntil(position: number, slots: EstimatedSlots, nowMs: number = performance.now()): number | null {
    return this.estimator(slots, nowMs)(position)
  }

  /**
   * Returns a function from a position to the seconds until so many slots have become free. It uses
   * the rate of recent ends, and at most the remaining lifetimes of the sessions that hold the
   * slots. `null` if both are unknown.
   */
  estimator(
    { teamId, leftMs }: EstimatedSlots,
    nowMs: number = performance.now(),
  ): (position: number) => number | null {
    const [first, ...others] = this.#ends.filter(
      (end) => nowMs - end.atMs < maxAgeMs && (teamId === undefined || end.teamId === teamId),
    )
    // One end has no rate.
    const msPerSlot = first === undefined || others.length === 0 ? Infinity : (nowMs - first.atMs) / others.length
    const lifetimes = leftMs.toSorted((left, right) => left - right)
    return (position) => {
      const waitMs = Math.min(position * msPerSlot, lifetimes[position - 1] ?? Infinity)
      return Number.isFinite(waitMs) ? Math.max(0, Math.ceil(waitMs / 1000)) : null
    }
  }
}

/** The slots of a team, or all of them. */
export interface EstimatedSlots {
  readonly teamId?: string | undefined
  /** Remaining lifetimes of the sessions that hold the slots, in milliseconds. */
  readonly leftMs: readonly number[]
}
