import { BowlineError } from 'bowline/kit/errors'

/**
 * Returns STORE_UNAVAILABLE, after which a retry may succeed, for the system error of a full disk.
 * Returns other errors unchanged.
 */
export function explainDiskFull(error: unknown): unknown {
  const isDiskFull = Error.isError(error) && 'code' in error && diskFullCodes.has(error.code)
  if (!isDiskFull) return error
  return new BowlineError('STORE_UNAVAILABLE', 'The disk of the server is full', {
    cause: error,
    retryAfterSeconds: 2,
  })
}

const diskFullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])
