import type { PdfPage } from './pdf-result.ts'

/**
 * Drops headers and footers that are the same on at least three pages and on most of them, except
 * where they first occur. Lines that differ, as in "Chapter 2" and "Chapter 3", are kept, as are
 * headings and the only text of a page.
 */
export function dropRunningLines(pages: readonly PdfPage[]): PdfPage[] {
  const blocks = pages.map(({ markdown }) => markdown.trim().split('\n\n'))
  const withoutHeaders = dropRepeated(blocks, 0)
  const kept = dropRepeated(withoutHeaders, -1)
  return pages.map(({ pageNumber }, index) => ({ pageNumber, markdown: (kept[index] ?? []).join('\n\n') }))
}

/** Drops a repeated block at one position of the pages: 0 is the first, -1 the last. */
function dropRepeated(pages: readonly string[][], position: 0 | -1): string[][] {
  const counts = new Map<string, number>()
  for (const blocks of pages) {
    const block = blocks.at(position) ?? ''
    counts.set(block, (counts.get(block) ?? 0) + 1)
  }
  const seen = new Set<string>()
  return pages.map((blocks) => {
    const block = blocks.at(position) ?? ''
    const count = counts.get(block) ?? 0
    if (count < 3 || count <= pages.length / 2 || blocks.length < 2 || block.startsWith('#')) return blocks
    if (!seen.has(block)) {
      seen.add(block)
      return blocks
    }
    return position === 0 ? blocks.slice(1) : blocks.slice(0, -1)
  })
}
