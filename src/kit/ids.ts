import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { sha256 } from './sha256.ts'

/**
 * Returns a UUID version 7 (RFC 9562): 48 bits of milliseconds, then 74 random bits. Sorts by
 * creation time.
 */
export function uuidV7(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x70
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Returns the time in milliseconds of a UUID version 7, or `undefined` for another text. */
export function timeOfUuid(text: string): number | undefined {
  const [, high = '', low = ''] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(text) ?? []
  return high === '' ? undefined : Number.parseInt(high + low, 16)
}

/** Whether `text` is a UUID of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}

/** Returns a URL-safe secret of 256 random bits. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns a new API key: `bl-` and 32 hexadecimal digits. */
export function newApiKey(): string {
  return `bl-${randomBytes(16).toString('hex')}`
}

/** Returns the SHA-256 of a secret in hexadecimal. Only this hash is stored. */
export function hashSecret(secret: string): string {
  return sha256(secret).toString('hex')
}

/** Derives a token for `purpose` that only the holder of `secret` can compute. */
export function deriveToken(secret: string, purpose: string): string {
  return createHmac('sha256', secret).update(purpose).digest('base64url')
}

/** Compares two strings in constant time. */
export function equalSecrets(left: string, right: string): boolean {
  return timingSafeEqual(sha256(left), sha256(right))
}
