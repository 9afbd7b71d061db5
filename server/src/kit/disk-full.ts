import { statfs } from 'node:fs/promises'
import { BowlineError } from 'bowline/kit/errors'

/**
 * Returns STORE_UNAVAILABLE, after which a retry may succeed, for the system error of a full disk.
 * Returns other errors unchanged.
 */
export function explainDiskFull<Thrown>(error: Thrown): Thrown | BowlineError {
  if (!isDiskFullError(error)) return error
  return new BowlineError('STORE_UNAVAILABLE', 'The disk of the server is full', {
    cause: error,
    retryAfterSeconds: 2,
  })
}

/** Whether an error is the system error of a full disk. */
export function isDiskFullError(error: unknown): boolean {
  return Error.isError(error) && 'code' in error && diskFullCodes.has(error.code)
}

/** Free bytes below which writes of a browser are likely to fail. */
const minFreeBytes = 1_000_000

/** Whether the disk of a folder has no space left. */
export async function isDiskFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < minFreeBytes
}

const diskFullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])
