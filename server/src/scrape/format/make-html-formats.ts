import { render } from 'dom-serializer'
import { cleanTree, type CleanOptions } from '../clean/clean-page.ts'
import { parseHtmlWithWarnings } from '../parse/parse-html.ts'
import { extractImages, extractLinks } from '../parse/links.ts'
import { treeToMarkdown } from './markdown/to-markdown.ts'
import { extractMetadata, type PageMetadata } from '../parse/metadata.ts'

/** A format that is made from HTML alone. */
export type HtmlFormat = 'markdown' | 'html' | 'links' | 'images'

/** HTML, and the formats to make from it. */
export interface HtmlFormatsRequest {
  readonly html: string
  readonly url: string
  readonly formats: readonly HtmlFormat[]
  readonly options?: CleanOptions | undefined
}

/** The requested formats of a page, and its metadata. */
export interface HtmlFormats {
  readonly markdown?: string
  /** Cleaned HTML. */
  readonly html?: string
  /** Links of the cleaned page. Without `onlyMainContent`, these include the links of menus. */
  readonly links?: readonly string[]
  /** Image URLs of the cleaned page. */
  readonly images?: readonly string[]
  readonly metadata: PageMetadata
  /** Names content that was left out, or a selector that matches nothing. */
  readonly warning?: string | undefined
}

/**
 * Parses HTML, cleans it and writes it in the requested formats. Takes and returns plain data, for
 * worker threads.
 * Throws BAD_REQUEST for an invalid selector.
 */
export function makeHtmlFormats({ html, url, formats, options = {} }: HtmlFormatsRequest): HtmlFormats {
  const wanted = new Set(formats)
  const { document, warnings: parseWarnings } = parseHtmlWithWarnings(html)
  const warnings = new Set(parseWarnings)
  const metadata = extractMetadata(document, url)
  if (wanted.size === 0) return { metadata, ...joinWarnings(warnings) }
  const { removeBase64Images, isUnmatched } = cleanTree(document, url, options)
  if (isUnmatched) warnings.add('No element of the page matches `includeTags`.')
  return {
    ...(wanted.has('markdown') && {
      markdown: treeToMarkdown(document, url, { removeBase64Images, warnings }),
    }),
    ...(wanted.has('html') && { html: render(document, { encodeEntities: 'utf8', decodeEntities: true }) }),
    ...(wanted.has('links') && { links: extractLinks(document, url) }),
    ...(wanted.has('images') && { images: extractImages(document, url) }),
    metadata,
    ...joinWarnings(warnings),
  }
}

function joinWarnings(warnings: ReadonlySet<string>): Pick<HtmlFormats, 'warning'> {
  return warnings.size === 0 ? {} : { warning: [...warnings].join(' ') }
}
