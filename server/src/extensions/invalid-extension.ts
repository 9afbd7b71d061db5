import { BowlineError } from 'bowline/kit/errors'
import type { ZipLimits } from '../kit/read-zip.ts'

/** Creates an EXTENSION_INVALID error. */
export function invalid(message: string, options: Partial<Parameters<ZipLimits['invalid']>[1]> = {}): BowlineError {
  const { problem = 'encrypted', hint = hints[problem], cause } = options
  return new BowlineError('EXTENSION_INVALID', message, { hint, cause })
}

const hints = {
  notZip: 'Send the bytes of a zip of the folder with `manifest.json`, without multipart or JSON around them.',
  size: 'Remove files that the extension does not need.',
  encrypted: undefined,
} as const
