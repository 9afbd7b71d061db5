import { BowlineError } from 'bowline/kit/errors'

/** Creates an INSUFFICIENT_CREDITS error for work that costs `needed` credits. */
export function insufficientCredits(needed: number, available: number): BowlineError {
  return new BowlineError(
    'INSUFFICIENT_CREDITS',
    `Insufficient credits to perform this request. It needs ${needed}, and ${Math.max(0, available)} are left.`,
    { hint: 'Request less, or add credits: `bowline teams add-credits TEAM CREDITS`.' },
  )
}
