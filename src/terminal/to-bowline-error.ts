import { BowlineError, isBowlineError } from '../kit/errors.ts'
import { isError } from '../kit/is-error.ts'

/**
 * Converts any error to a `BowlineError`: file system errors to LOCAL_FILE_FAILED with the path and
 * the reason, all others to UNKNOWN_ERROR with their stack.
 */
export function toBowlineError(error: unknown): BowlineError {
  if (isBowlineError(error)) return error
  if (isFileError(error)) return new BowlineError('LOCAL_FILE_FAILED', describe(error), { cause: error })
  const message = isError(error) ? (error.stack ?? error.message) : String(error)
  return new BowlineError('UNKNOWN_ERROR', message, {
    hint: 'This is a bug in the command line. Please report it.',
    cause: error,
  })
}

type FileError = Error & { readonly code: string; readonly path?: string }

function isFileError(error: unknown): error is FileError {
  return (
    isError(error) &&
    'syscall' in error &&
    'code' in error &&
    typeof error.code === 'string' &&
    !('address' in error || 'hostname' in error)
  )
}

/** Converts `ENOENT: no such file or directory, open '/x'` to `/x: no such file or directory`. */
function describe({ message, path }: FileError): string {
  const reason = /^\w+: (.*?)(?:, \w+.*)?$/s.exec(message)?.[1] ?? message
  return path === undefined ? reason : `${path}: ${reason}`
}
