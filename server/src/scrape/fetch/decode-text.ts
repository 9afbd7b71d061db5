import { textCharset } from '../../kit/text-charset.ts'

/** Turns bytes into text: by byte order mark, by header, by what a `<meta>` or XML declaration says, else by what they look like. */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  return new TextDecoder(textCharset(bytes, contentType)).decode(bytes)
}
