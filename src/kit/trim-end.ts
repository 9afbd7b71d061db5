/**
 * Removes all occurrences of a character from the end of a text, in linear time. A regular
 * expression such as `/\/+$/` is quadratic in the occurrences elsewhere.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
