/** The words of a text, small; letters and digits of any script, `camelCase` in parts. */
export function wordsOf(text: string): readonly string[] {
  const normal = text.normalize('NFKC')
  const small = normal.toLowerCase()
  // Most texts have no capitals within words, and looking for them takes as long as all the rest.
  const parted = small === normal ? small : normal.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return parted.match(/[\p{L}\p{N}]+/gu) ?? []
}
