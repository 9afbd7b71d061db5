import { isBowlineError } from '../kit/errors.ts'

/**
 * Adds the code and hint of a BowlineError to its message, since test reports show only the
 * message.
 */
export function errorWithHint(error: unknown): unknown {
  return isBowlineError(error) ? new Error(error.toLine(), { cause: error }) : error
}

/** Throws a copy of the error with its code and hint. */
export function rethrowWithHint(error: unknown): never {
  throw errorWithHint(error)
}
