import { isUtf8 } from 'node:buffer'
import { declaredCharset } from './declared-charset.ts'
import { detectCharset } from './detect-charset.ts'

/**
 * Returns the encoding of a document: the declared one (byte order mark, header, markup), else
 * UTF-8 if the bytes are valid UTF-8, else a guess from its letters.
 */
export function textCharset(bytes: Uint8Array, contentType: string | undefined): string {
  const declared = declaredCharset(bytes, contentType)
  if (declared !== undefined) return declared
  return isUtf8(bytes) || isNearlyUtf8(bytes) ? 'utf-8' : detectCharset(bytes)
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
