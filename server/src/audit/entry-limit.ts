/** Milliseconds during which events of one origin are counted instead of recorded. */
const windowMs = 60_000

const maxOrigins = 1000

/** Events that are recorded in a window, of all origins together. */
const maxRecorded = 100

/** Counts of the events that an entry stands for. */
export interface EventCounts {
  /** Number of events of the origin since its last entry. */
  readonly count: number
  /** Number of events of other origins that were not recorded. Absent: none. */
  readonly unlogged?: number
}

/**
 * Limits entries that clients can cause at will: the first event of an origin is recorded at once,
 * then one entry a minute with their number. Of many origins, 100 entries a minute are recorded.
 */
export class EntryLimit {
  readonly #origins = new Map<string, { recordedMs: number; unrecorded: number }>()
  #window = { startedMs: -Infinity, recorded: 0 }
  #unlogged = 0

  /**
   * Counts an event at a monotonic time. Returns the counts to record, or `undefined` if it is only
   * counted.
   */
  admit(origin: string, nowMs: number): EventCounts | undefined {
    const entry = this.#origins.get(origin)
    if (entry !== undefined && nowMs - entry.recordedMs < windowMs) {
      entry.unrecorded += 1
      return undefined
    }
    if (nowMs - this.#window.startedMs >= windowMs) this.#window = { startedMs: nowMs, recorded: 0 }
    if (this.#window.recorded >= maxRecorded) {
      this.#unlogged += 1
      return undefined
    }
    this.#window.recorded += 1
    if (entry === undefined && this.#origins.size >= maxOrigins) this.#origins.clear()
    this.#origins.set(origin, { recordedMs: nowMs, unrecorded: 0 })
    const unlogged = this.#unlogged
    this.#unlogged = 0
    return { count: (entry?.unrecorded ?? 0) + 1, ...(unlogged === 0 ? {} : { unlogged }) }
  }
}
