import type { LayoutBlock, ParsedPage } from '@llamaindex/liteparse'
import type { PageBlocks } from 'bowline/contract/document'

type Item = PageBlocks['items'][number]

/** Options of `toPageBlocks`. */
export interface PageBlockOptions {
  readonly pageNumber: number
  readonly source: Item['source']
  /** Size of the page in points. Default: that of the parsed page. */
  readonly width?: number | undefined
  readonly height?: number | undefined
}

/** Describes the blocks of a page that was parsed with `extractBlocks`. */
export function toPageBlocks(page: ParsedPage, options: PageBlockOptions): PageBlocks {
  const { pageNumber, source, width = page.width, height = page.height } = options
  // An image of a page has a size of its own.
  const [scaleX, scaleY] = [width / page.width, height / page.height]
  let at = 0
  const items = (page.blocks ?? []).map((block, index): Item => {
    const content = contentOf(block)
    const start = content === '' ? -1 : page.markdown.indexOf(content, at)
    if (start !== -1) at = start + content.length
    const { bbox } = block
    return {
      id: `page-${pageNumber}-block-${index + 1}`,
      type: block.kind === 'grid_fallback' ? 'code' : block.kind,
      label: block.kind === 'heading' ? `heading_${block.level ?? 1}` : block.kind,
      bbox:
        bbox === undefined
          ? null
          : [bbox.x * scaleX, bbox.y * scaleY, (bbox.x + bbox.width) * scaleX, (bbox.y + bbox.height) * scaleY].map(
              round,
            ),
      content,
      markdownSpan: start === -1 ? null : [start, start + content.length],
      readingOrder: index,
      source,
      confidence: { layout: null, ocr: source === 'ocr' ? confidenceIn(page, block) : null },
    }
  })
  return { pageNumber, width: round(width), height: round(height), status: 'ok', items }
}

function contentOf({ kind, text, lines, header, rows }: LayoutBlock): string {
  if (kind !== 'table') return (text ?? lines?.join('\n') ?? '').trim()
  const all = [...(header === undefined ? [] : [header]), ...(rows ?? [])]
  return all.map((row) => row.map((cell) => cell.text).join(' | ')).join('\n')
}

/** Mean confidence of the text within a block. */
function confidenceIn({ textItems }: ParsedPage, { bbox }: LayoutBlock): number | null {
  if (bbox === undefined) return null
  const inside = textItems.filter(({ x, y, width, height, confidence }) => {
    const [middleX, middleY] = [x + width / 2, y + height / 2]
    const isInside = middleX >= bbox.x && middleX <= bbox.x + bbox.width && middleY >= bbox.y
    return confidence !== undefined && isInside && middleY <= bbox.y + bbox.height
  })
  if (inside.length === 0) return null
  return round(inside.reduce((sum, { confidence = 0 }) => sum + confidence, 0) / inside.length)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
