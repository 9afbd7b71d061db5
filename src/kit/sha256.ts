import { createHash } from 'node:crypto'

/** Returns the SHA-256 of the concatenated parts. Strings are hashed as UTF-8. */
export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
