/** Splits a text, including `camelCase`, into lower-case words of letters and digits. */
export function wordsOf(text: string): readonly string[] {
  const normal = text.normalize('NFKC')
  const small = normal.toLowerCase()
  // Skips the camelCase split, which takes as long as the rest, for texts without upper-case
  // letters.
  const parted = small === normal ? small : normal.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return parted.match(/[\p{L}\p{N}]+/gu) ?? []
}
