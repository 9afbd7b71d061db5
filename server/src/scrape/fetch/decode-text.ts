import { textCharset } from '../../kit/text-charset.ts'

/**
 * Decodes text. The charset comes from the byte order mark, the `Content-Type` header, a `<meta>`
 * or XML declaration, or is detected.
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  return new TextDecoder(textCharset(bytes, contentType)).decode(bytes)
}
