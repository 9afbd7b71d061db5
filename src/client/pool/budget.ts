/** Tracks spent and reserved credits against a limit. */
export interface Budget {
  /** Credits billed plus credits reserved for live sessions. */
  readonly spent: () => number
  /** Whether at least this many credits are left. */
  readonly has: (credits: number) => boolean
  /** Reserves credits. Returns false if too few are left. */
  readonly tryReserve: (credits: number) => boolean
  /** Replaces the reservation of a session by its bill. */
  readonly settle: (reserved: number, billed: number) => void
}

/** Creates a budget. Without a limit, every reservation succeeds. */
export function createBudget(limit: number | undefined, alreadySpent: number): Budget {
  let spent = alreadySpent
  const has = (credits: number): boolean => limit === undefined || spent + credits <= limit
  return {
    spent: () => spent,
    has,
    tryReserve: (credits) => {
      if (!has(credits)) return false
      spent += credits
      return true
    },
    settle: (reserved, billed) => {
      spent += billed - reserved
    },
  }
}
