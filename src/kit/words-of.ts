/** The words of a text, small; letters and digits of any script, `camelCase` in parts. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []
