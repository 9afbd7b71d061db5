/** Escapes inline Markdown syntax. */
export function escapeText(text: string): string {
  // Most text has no special characters, and one test is faster than seven replacements.
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

/** Escapes block syntax at the start of a line. */
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

/** Escapes a URL for the parentheses of a link. */
export function writeAddress(address: string): string {
  const safe = address.replace(/[\s<>]/g, (character) => encodeURIComponent(character))
  let depth = 0
  for (const character of safe) {
    if (character === '(') depth++
    else if (character === ')' && --depth < 0) break
  }
  return depth === 0 ? safe : safe.replaceAll('(', '%28').replaceAll(')', '%29')
}
