/** A text with its `%` escapes read as UTF-8; unchanged when they are none. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
