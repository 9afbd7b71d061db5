import { isUtf8 } from 'node:buffer'
import { declaredCharset } from './declared-charset.ts'
import { detectCharset } from './detect-charset.ts'

/**
 * Returns the encoding of a document: the declared one (byte order mark, header, markup), else
 * UTF-16 or UTF-8 if the bytes look like it, else a guess from its letters.
 */
export function textCharset(bytes: Uint8Array, contentType: string | undefined): string {
  const declared = declaredCharset(bytes, contentType)
  if (declared !== undefined) return declared
  const utf16 = utf16Of(bytes)
  if (utf16 !== undefined) return utf16
  return isUtf8(bytes) || isNearlyUtf8(bytes) ? 'utf-8' : detectCharset(bytes)
}

/**
 * Recognizes UTF-16 without a byte order mark by its first two characters, which are ASCII in
 * markup, JSON and CSV.
 */
function utf16Of([a, b, c, d]: Uint8Array): string | undefined {
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return 'utf-16le'
  return a === 0 && b !== 0 && c === 0 && d !== 0 ? 'utf-16be' : undefined
}

/**
 * Accepts UTF-8 with a truncated character or a few invalid bytes: text in other encodings rarely
 * contains valid multi-byte sequences.
 */
function isNearlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, 100_000))
  const broken = text.split('\ufffd').length - 1
  const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0
  return whole >= 4 * broken
}
