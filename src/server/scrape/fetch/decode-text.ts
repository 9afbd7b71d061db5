import { declaredCharset } from '../../../kit/declared-charset.ts'

/** Turns bytes into text: by byte order mark, by header, by what a `<meta>` or XML declaration says, else UTF-8 or Windows-1252. */
export const decodeText = (bytes: Uint8Array, contentType: string | undefined): string => {
  const declared = declaredCharset(bytes, contentType)
  if (declared !== undefined) return new TextDecoder(declared).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder(isNearlyUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes)
  }
}

/** A page that was cut within a character, or that has one broken byte, is still UTF-8. */
const isNearlyUtf8 = (bytes: Uint8Array): boolean => {
  const text = new TextDecoder().decode(bytes.subarray(0, 100_000))
  const broken = text.split('\ufffd').length - 1
  return broken <= 3 && text.length > 200
}
