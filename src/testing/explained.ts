import { isBowlineError } from '../kit/errors.ts'

/** The error with its code and what to do about it in its message: reports of tests show no more of an error. */
export function explained(error: unknown): unknown {
  return isBowlineError(error) ? new Error(error.toLine(), { cause: error }) : error
}
