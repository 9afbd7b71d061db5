import { isUtf8 } from 'node:buffer'
import { declaredCharset } from './declared-charset.ts'
import { detectCharset } from './detect-charset.ts'

/** Returns the encoding of a text: the declared one (byte order mark, header, markup), else UTF-8 if it is that, else what its letters look like. */
export function textCharset(bytes: Uint8Array, contentType: string | undefined): string {
  const declared = declaredCharset(bytes, contentType)
  if (declared !== undefined) return declared
  return isUtf8(bytes) || isNearlyUtf8(bytes) ? 'utf-8' : detectCharset(bytes)
}

/** A page that was cut within a character, or that has some broken bytes, is still UTF-8: hardly any other text has its sequences. */
function isNearlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, 100_000))
  const broken = text.split('\ufffd').length - 1
  const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0
  return whole >= 4 * broken
}
