import { isBowlineError } from '../kit/errors.ts'

/**
 * Returns a copy of a BowlineError for test reports, which show only the message: with its code and
 * hint, and without stack frames and causes, which are internal.
 */
export function errorWithHint(error: unknown): unknown {
  if (!isBowlineError(error)) return error
  const shown = new Error(error.toLine())
  shown.stack = `Error: ${shown.message}`
  return shown
}

/** Throws a copy of the error with its code and hint. */
export function rethrowWithHint(error: unknown): never {
  throw errorWithHint(error)
}
