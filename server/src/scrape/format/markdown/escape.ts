/** Escapes what Markdown would read as markup inside a line. */
export function escapeText(text: string): string {
  // Most text has none of them, and one look costs less than seven.
  if (!/[\\*`_~<&\]]/.test(text)) return text
  return text
    .replace(/\\(?=[\\`*_{}[\]()#+\-.!|<>~&])/g, '\\\\')
    .replace(/[*`]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, (run) => run.replaceAll('_', '\\_'))
    .replace(/~~/g, '\\~~')
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/\](?=[([:])/g, '\\]')
}

/** Escapes what Markdown would read as a block at the start of a line. */
export function escapeLineStart(line: string): string {
  if (!/^[-#+\d>=_~]/.test(line)) return line
  return line
    .replace(/^(#{1,6})(?=\s|$)/, '\\$1')
    .replace(/^([-+])(?=\s|$)/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^>/, '\\>')
    .replace(/^([-=_]{3,}\s*)$/, '\\$1')
    .replace(/^(~{3,})/, '\\$1')
}

/** Escapes brackets, for text inside a link or an image. */
export function escapeBrackets(text: string): string {
  return text.replace(/\\?[[\]]/g, (found) => (found.length === 2 ? found : `\\${found}`))
}

/** Writes an address so that it can stand inside the parentheses of a link. */
export function writeAddress(address: string): string {
  const safe = address.replace(/[\s<>]/g, (character) => encodeURIComponent(character))
  let depth = 0
  for (const character of safe) {
    if (character === '(') depth++
    else if (character === ')' && --depth < 0) break
  }
  return depth === 0 ? safe : safe.replaceAll('(', '%28').replaceAll(')', '%29')
}
