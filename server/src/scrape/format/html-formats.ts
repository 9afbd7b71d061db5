import { render } from 'dom-serializer'
import { cleanTree, type CleanOptions } from '../extract/clean-page.ts'
import { parseBounded } from '../parse/parse-html.ts'
import { extractImages, extractLinks } from '../parse/links.ts'
import { treeToMarkdown } from './markdown/to-markdown.ts'
import { extractMetadata, type PageMetadata } from '../parse/metadata.ts'

/** Formats of a page that are made from its HTML alone. */
export type PageFormat = 'markdown' | 'html' | 'links' | 'images'

/** A page to read. */
export interface PageRequest {
  readonly html: string
  readonly url: string
  readonly formats: readonly PageFormat[]
  readonly options?: CleanOptions | undefined
}

/** A page as read: the formats asked for, and its metadata. */
export interface PageReading {
  readonly markdown?: string
  /** The cleaned HTML. */
  readonly html?: string
  /** Links of the cleaned page. For those of its menus, ask for more than the main content. */
  readonly links?: readonly string[]
  /** Pictures of the cleaned page. */
  readonly images?: readonly string[]
  readonly metadata: PageMetadata
  /** What was left out, or not found. */
  readonly warning?: string | undefined
}

/** Reads a page in one go: plain data in and out, fit for a worker thread. Throws BAD_REQUEST for a selector that is none. */
export function readPage({ html, url, formats, options = {} }: PageRequest): PageReading {
  const wanted = new Set(formats)
  const { document, cuts } = parseBounded(html)
  const warnings = new Set(cuts)
  const metadata = extractMetadata(document, url)
  if (wanted.size === 0) return { metadata, ...warningOf(warnings) }
  const { removeBase64Images, isUnmatched } = cleanTree(document, url, options)
  if (isUnmatched) warnings.add('No element of the page matches `includeTags`.')
  return {
    ...(wanted.has('markdown') && {
      markdown: treeToMarkdown(document, url, { removeBase64Images, cuts: warnings }),
    }),
    ...(wanted.has('html') && { html: render(document, { encodeEntities: 'utf8', decodeEntities: true }) }),
    ...(wanted.has('links') && { links: extractLinks(document, url) }),
    ...(wanted.has('images') && { images: extractImages(document, url) }),
    metadata,
    ...warningOf(warnings),
  }
}

function warningOf(warnings: ReadonlySet<string>): Pick<PageReading, 'warning'> {
  return warnings.size === 0 ? {} : { warning: [...warnings].join(' ') }
}
