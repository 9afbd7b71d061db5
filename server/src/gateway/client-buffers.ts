import { HeldMemory } from './held-commands.ts'
import { ParsingBudget } from './parsing-budget.ts'

const megabyte = 1024 * 1024

/** Bytes that the server keeps for all clients of a session, in each of two buffers. */
const sharedBytes = 64 * megabyte

/** Limits of what the server keeps for one client. They depend on the number of clients. */
export interface BufferLimits {
  /** Bytes buffered for the client above which reading from the browser is paused. */
  readonly maxBufferedBytes: () => number
  /** Bytes kept for a client that reads, but does not acknowledge, and may resume. */
  readonly maxUnacknowledgedBytes: () => number
}

/**
 * Shares memory between the clients of a session. Each of them receives the events of a page, and a
 * session can have any number of clients.
 */
export class ClientBuffers {
  readonly #counts = new WeakMap<object, number>()
  readonly #held = new WeakMap<object, HeldMemory>()
  readonly #parsing = new WeakMap<object, ParsingBudget>()

  /** Counts a client of a session until the returned function is called. */
  add(session: object): () => void {
    this.#counts.set(session, this.#countOf(session) + 1)
    return () => this.#counts.set(session, this.#countOf(session) - 1)
  }

  /** Returns the limits of each client of a session. */
  limitsOf(session: object): BufferLimits {
    const share = (): number => sharedBytes / Math.max(1, this.#countOf(session))
    return {
      maxBufferedBytes: () => Math.min(16 * megabyte, Math.max(megabyte, share())),
      // Enough for what a fast network holds.
      maxUnacknowledgedBytes: () => Math.max(4 * megabyte, share()),
    }
  }

  /** Returns the memory for the held commands of the clients of a session. */
  heldMemoryOf(session: object): HeldMemory {
    const memory = this.#held.get(session) ?? new HeldMemory()
    this.#held.set(session, memory)
    return memory
  }

  /** Returns the budget for parsing the messages of the clients of a session. */
  parsingBudgetOf(session: object): ParsingBudget {
    const budget = this.#parsing.get(session) ?? new ParsingBudget(performance.now())
    this.#parsing.set(session, budget)
    return budget
  }

  #countOf(session: object): number {
    return this.#counts.get(session) ?? 0
  }
}
