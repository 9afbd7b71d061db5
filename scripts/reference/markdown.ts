/** A Markdown table, its cells on one line each. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`)
    .join('\n')
}

/** Pieces of a page, one empty line between them and one line break at the end. */
export function page(pieces: readonly (string | undefined)[]): string {
  return `${pieces.filter((piece) => piece !== undefined && piece !== '').join('\n\n')}\n`
}
