/** Escapes a text for the pattern of `LIKE`, so that `%` and `_` stand for themselves. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`)
}
