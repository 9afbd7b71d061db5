/** Formats a Markdown table. Line breaks in cells are replaced by spaces. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`)
    .join('\n')
}

/** Joins blocks of Markdown with blank lines and ends with a line break. Skips empty blocks. */
export function page(blocks: readonly (string | undefined)[]): string {
  return `${blocks.filter((block) => block !== undefined && block !== '').join('\n\n')}\n`
}
