import { parsingCostOf } from '../cdp/parsing-cost.ts'

/** Messages up to this size are not scanned, and cost one unit per byte. */
const maxSmallBytes = 4096

/**
 * Units of about 20 ns: a tenth of the time of a CPU, and a second at once. Strings cost little: a
 * client can send 20 MB per second in them.
 */
const perSecond = 5_000_000
const maxBurst = 50_000_000

/** Debt above which no further time is added: other clients of the session wait for it as well. */
const maxDebt = 50_000_000

/** Limits the time that is spent on parsing the messages of the clients of a session. */
export class ParsingBudget {
  #left = maxBurst
  #atMs: number

  constructor(nowMs: number) {
    this.#atMs = nowMs
  }

  /** Counts a message. Returns the milliseconds for which its client should not be read. */
  spend(message: Buffer, nowMs: number): number {
    const earned = ((nowMs - this.#atMs) * perSecond) / 1000
    this.#atMs = nowMs
    this.#left = Math.max(-maxDebt, Math.min(maxBurst, this.#left + earned) - costOf(message))
    return Math.max(0, Math.ceil((-this.#left * 1000) / perSecond))
  }
}

/** The bytes of other characters are never those of quotes or brackets. */
function costOf(message: Buffer): number {
  return message.length <= maxSmallBytes ? message.length : parsingCostOf(message.toString('latin1'))
}
