import { parseJson } from 'bowline/kit/parse-json'
import { endOfJsonString } from '../kit/end-of-json-string.ts'

/** Largest message of a viewer who only watches, in bytes. The page sends at most 150. */
const maxViewBytes = 512

/** Largest message with any structure, in bytes. Touches with 16 fingers need 1 kB. */
const maxStructuredBytes = 2048

/** Characters outside of strings in larger messages. */
const maxOutsideStrings = 256

/**
 * Parses a message of a viewer. Larger messages are parsed only if they consist of a few long
 * strings, as pasted text does: parsing many values blocks the server. Returns `undefined` for
 * others, and for all that a viewer who only watches may not send.
 */
export function parseViewerMessage(data: Buffer, isInteractive: boolean): unknown {
  if (data.length > maxViewBytes && !isInteractive) return undefined
  const text = data.toString()
  return data.length <= maxStructuredBytes || isMadeOfStrings(text) ? parseJson(text) : undefined
}

function isMadeOfStrings(text: string): boolean {
  let outside = 0
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at)
    outside += (quote === -1 ? text.length : quote) - at
    if (outside > maxOutsideStrings) return false
    if (quote === -1) return true
    at = endOfJsonString(text, quote) + 1
  }
  return true
}
