/** Strips Markdown syntax and joins the text to one line. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^[\]\n]*)\]\([^()\n]{0,2000}\)/g, '$1')
    .replaceAll(/^[ \t]{0,3}(?:#{1,6}|>|[-*+]|\d{1,9}\.)[ \t]+/gm, '')
    .replaceAll(/^[ \t:|-]+$/gm, '')
    .replaceAll(/[*_`~|\\]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
