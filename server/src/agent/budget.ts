/** A limit of the cost of an agent: its `maxCredits`, or the credits of its team. */
export type BudgetLimit = 'max-credits' | 'team'

/** Thrown by `Budget.reserve`. */
export class BudgetExceeded extends Error {
  readonly limit: BudgetLimit

  constructor(limit: BudgetLimit) {
    super(limit === 'team' ? 'The credits of the team do not cover the step' : '`maxCredits` does not cover the step')
    this.limit = limit
  }
}

/** Credits that are reserved for a step in progress. */
export interface BudgetShare {
  readonly credits: number
  /** Ends the reservation. `spent` is what the step has cost, at most `credits`. */
  readonly settle: (spent: number) => void
}

/** Settings and state of a `Budget`. */
export interface BudgetOptions {
  readonly maxCredits: number
  /** Credits in the hold of the agent. */
  readonly held: number
  /** Cost of the steps of the agent so far. */
  readonly spent: number
  /** Cost of its ended sessions, which have holds of their own. */
  readonly spentInSessions: number
  /** Raises the hold of the agent. Returns `false` if the team cannot pay. */
  readonly raise: (credits: number) => Promise<boolean>
}

/**
 * Credits of an agent. Every step reserves its maximum price before it starts, so that steps that
 * run side by side cannot exceed `maxCredits` together.
 */
export class Budget {
  readonly #options: BudgetOptions
  #held: number
  #spent: number
  #spentInSessions: number
  #reserved = 0
  #reservedForSessions = 0

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#held = options.held
    this.#spent = options.spent
    this.#spentInSessions = options.spentInSessions
  }

  /** Credits that are neither spent nor reserved. */
  get left(): number {
    const used = this.#spent + this.#spentInSessions + this.#reserved + this.#reservedForSessions
    return Math.max(0, this.#options.maxCredits - used)
  }

  /** Cost of the steps and sessions so far. */
  get spent(): number {
    return this.#spent + this.#spentInSessions
  }

  /** Reserves credits for a step. Throws BudgetExceeded. */
  async reserve(credits: number): Promise<BudgetShare> {
    if (credits > this.left) throw new BudgetExceeded('max-credits')
    this.#reserved += credits
    const missing = Math.max(0, this.#spent + this.#reserved - this.#held)
    this.#held += missing
    if (missing > 0 && !(await this.#raise(missing))) {
      this.#held -= missing
      this.#reserved -= credits
      throw new BudgetExceeded('team')
    }
    return {
      credits,
      settle: (spent) => {
        this.#reserved -= credits
        this.#spent += Math.min(spent, credits)
      },
    }
  }

  /** Reserves credits for a session, which has a hold of its own. Throws BudgetExceeded. */
  reserveForSession(credits: number): BudgetShare {
    if (credits > this.left) throw new BudgetExceeded('max-credits')
    this.#reservedForSessions += credits
    return {
      credits,
      settle: (spent) => {
        this.#reservedForSessions -= credits
        this.#spentInSessions += Math.min(spent, credits)
      },
    }
  }

  async #raise(credits: number): Promise<boolean> {
    try {
      return await this.#options.raise(credits)
    } catch (error) {
      this.#held -= credits
      throw error
    }
  }
}
