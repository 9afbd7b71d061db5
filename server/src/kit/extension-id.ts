import { sha256 } from 'bowline/kit/sha256'

/**
 * Returns the id that Chromium gives an extension with a public key, or for its path if it has
 * none: the first 16 bytes of the hash, with the letters a to p as hexadecimal digits.
 */
export function extensionIdFrom(keyOrPath: string | Uint8Array): string {
  const digits = sha256(keyOrPath).toString('hex').slice(0, 32)
  return digits.replaceAll(/./g, (digit) => String.fromCodePoint(97 + Number.parseInt(digit, 16)))
}
