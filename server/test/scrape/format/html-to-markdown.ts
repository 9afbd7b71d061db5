import { linkEmbeds } from '../../../src/scrape/parse/embeds.ts'
import { normalizeTree } from '../../../src/scrape/parse/normalize-tree.ts'
import { parsePage } from '../../../src/scrape/parse/parsed-page.ts'
import { treeToMarkdown, type MarkdownOptions } from '../../../src/scrape/format/markdown/to-markdown.ts'

/** Converts the visible content of HTML to Markdown. */
export function htmlToMarkdown(html: string, url: string, options: MarkdownOptions = {}): string {
  const page = parsePage(html, url)
  normalizeTree(page.document, 'all')
  linkEmbeds(page.document)
  return treeToMarkdown(page, options)
}
