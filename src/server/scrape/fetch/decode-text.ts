import { declaredCharset } from '../../../kit/declared-charset.ts'
import { detectCharset } from './detect-charset.ts'

/** Turns bytes into text: by byte order mark, by header, by what a `<meta>` or XML declaration says, else by what they look like. */
export const decodeText = (bytes: Uint8Array, contentType: string | undefined): string => {
  const declared = declaredCharset(bytes, contentType)
  if (declared !== undefined) return new TextDecoder(declared).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder(isNearlyUtf8(bytes) ? 'utf-8' : detectCharset(bytes)).decode(bytes)
  }
}

/** A page that was cut within a character, or that has some broken bytes, is still UTF-8: hardly any other text has its sequences. */
const isNearlyUtf8 = (bytes: Uint8Array): boolean => {
  const text = new TextDecoder().decode(bytes.subarray(0, 100_000))
  const broken = text.split('\ufffd').length - 1
  const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0
  return whole >= 4 * broken
}
