/** Credits that were spent or are reserved, against a limit. */
export interface Budget {
  /** Credits billed, and those reserved for living sessions. */
  readonly spent: () => number
  readonly has: (credits: number) => boolean
  /** Reserves credits, and tells whether there were so many. */
  readonly tryReserve: (credits: number) => boolean
  /** Puts what a session was billed in the place of what was reserved for it. */
  readonly settle: (reserved: number, billed: number) => void
}

/** Makes a budget; without a limit it has whatever is asked for. */
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
