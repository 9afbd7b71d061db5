import { BowlineError } from 'bowline/kit/errors'

/** Creates the error of a document that is malformed. */
export function documentInvalid(message: string, cause?: unknown): BowlineError {
  return new BowlineError('DOCUMENT_INVALID', message, { cause })
}

/** Creates the error of a document that needs a password. */
export function documentEncrypted(kind: string): BowlineError {
  return new BowlineError('DOCUMENT_ENCRYPTED', `The ${kind.toUpperCase()} file is encrypted`)
}

/** Creates the error of a document that exceeds a limit. */
export function documentTooLarge(message: string): BowlineError {
  return new BowlineError('DOCUMENT_TOO_LARGE', message)
}
