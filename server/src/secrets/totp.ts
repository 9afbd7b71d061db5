import { createHmac } from 'node:crypto'
import { z } from 'zod'

/** Seed and parameters of time-based one-time passwords (RFC 6238). */
export interface TotpSeed {
  readonly key: Buffer
  readonly algorithm: 'SHA1' | 'SHA256' | 'SHA512'
  readonly digits: number
  readonly periodSeconds: number
}

const parameters = z.object({
  algorithm: z.enum(['SHA1', 'SHA256', 'SHA512']).default('SHA1'),
  digits: z.coerce.number().int().min(6).max(8).default(6),
  period: z.coerce.number().int().min(5).max(300).default(30),
})

/**
 * Parses a base32 seed or an `otpauth://totp/` URL. Returns what is wrong with it as a text, which
 * never contains the seed.
 */
export function parseTotp(text: string): TotpSeed | string {
  const trimmed = text.trim()
  if (!/^otpauth:/i.test(trimmed)) return toSeed(trimmed, {})
  const url = URL.parse(trimmed)
  // The host of schemes that a URL parser does not know is case-sensitive.
  if (url?.host.toLowerCase() !== 'totp') return 'must be an otpauth:// URL of the type `totp`'
  const { secret = '', ...given } = Object.fromEntries(url.searchParams)
  return toSeed(secret, { ...given, ...(given['algorithm'] && { algorithm: given['algorithm'].toUpperCase() }) })
}

/** Computes the one-time password of a time. */
export function totpAt({ key, algorithm, digits, periodSeconds }: TotpSeed, nowMs: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 1000 / periodSeconds)))
  const hash = createHmac(algorithm, key).update(counter).digest()
  const offset = (hash.at(-1) ?? 0) & 0xf
  const code = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits
  return String(code).padStart(digits, '0')
}

function toSeed(base32: string, given: Readonly<Record<string, string>>): TotpSeed | string {
  const { data, error } = parameters.safeParse(given)
  if (data === undefined) {
    const name = String(error.issues[0]?.path[0])
    return `has a wrong \`${name}\`: allowed are SHA1, SHA256 and SHA512, 6 to 8 digits, and 5 to 300 seconds`
  }
  const key = decodeBase32(base32)
  if (key === undefined || key.length < minSeedBytes) {
    return `must be a base32 seed of at least ${minSeedBytes} bytes, or an otpauth:// URL with one`
  }
  return { key, algorithm: data.algorithm, digits: data.digits, periodSeconds: data.period }
}

/** Some services issue seeds of 80 bits, although RFC 4226 requires 128. */
const minSeedBytes = 10

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Decodes base32, in groups and with or without padding, as services show it. */
function decodeBase32(text: string): Buffer | undefined {
  const digits = text.toUpperCase().replaceAll(/[\s-]/g, '').replace(/=+$/, '')
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const digit of digits) {
    const index = alphabet.indexOf(digit)
    if (index === -1) return undefined
    value = ((value << 5) | index) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((value >> bits) & 0xff)
    }
  }
  return Buffer.from(bytes)
}
