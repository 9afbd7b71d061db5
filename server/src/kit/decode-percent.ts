/** Decodes percent-encoded UTF-8. Returns malformed input unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
