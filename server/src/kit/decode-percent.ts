/** Decodes percent-encoded UTF-8. Returns malformed input unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not valid percent-encoding, or not UTF-8.
    return text
  }
}
