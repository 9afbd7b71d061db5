/** A text with its `%` escapes read as UTF-8; unchanged when they are none. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
