import type { Document } from 'bowline/contract/document'
import type { PageBody } from '../fetch/loaded-page.ts'

/** Formats that are plain text, and the metadata of the page. */
export interface TextFormats {
  readonly formats: Pick<
    Document,
    'markdown' | 'html' | 'rawHtml' | 'links' | 'images' | 'attributes' | 'product' | 'rawBase64' | 'pages' | 'blocks'
  >
  readonly metadata: Readonly<Record<string, unknown>>
  /** Always present, since other formats are made from Markdown. */
  readonly markdown: string
  /** Number of pages to bill. */
  readonly pages: number
  readonly warning?: string | undefined
  /** The page body to store in the cache. A parsed PDF is stored as its text. */
  readonly stored: PageBody
}

/** Makes the formats of a page that is not HTML. `html` defaults to the text, escaped. */
export type PlainFormats = (text: string, markdown: string, html?: string) => TextFormats
