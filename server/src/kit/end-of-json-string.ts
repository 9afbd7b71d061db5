/**
 * Returns the index of the quote that ends a JSON string, by the index of the quote that starts it,
 * or the length of the text if there is none.
 */
export function endOfJsonString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return at
  }
  return text.length
}
