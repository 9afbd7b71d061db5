import { render } from 'dom-serializer'
import { cleanPage, type CleanOptions } from '../clean/clean-page.ts'
import type { ParsedPage } from '../parse/parsed-page.ts'
import { extractImages, extractLinks } from '../parse/links.ts'
import { treeToMarkdown } from './markdown/to-markdown.ts'
import { extractMetadata, type PageMetadata } from '../parse/metadata.ts'

/** A format that is made from HTML only. */
export type HtmlFormat = 'markdown' | 'html' | 'links' | 'images'

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
 * Cleans a page in place and writes it in the requested formats. Throws BAD_REQUEST for an invalid
 * selector.
 */
export function makeHtmlFormats(
  page: ParsedPage,
  formats: readonly HtmlFormat[],
  options: CleanOptions = {},
): HtmlFormats {
  const wanted = new Set(formats)
  const warnings = new Set(page.warnings)
  const metadata = extractMetadata(page)
  if (wanted.size === 0) return { metadata, ...joinWarnings(warnings) }
  const { removeBase64Images, isUnmatched } = cleanPage(page, options)
  if (isUnmatched) warnings.add('No element of the page matches `includeTags`.')
  return {
    ...(wanted.has('markdown') && {
      markdown: treeToMarkdown(page, { removeBase64Images, warnings }),
    }),
    ...(wanted.has('html') && { html: render(page.document, { encodeEntities: 'utf8', decodeEntities: true }) }),
    ...(wanted.has('links') && { links: extractLinks(page) }),
    ...(wanted.has('images') && { images: extractImages(page) }),
    metadata,
    ...joinWarnings(warnings),
  }
}

function joinWarnings(warnings: ReadonlySet<string>): Pick<HtmlFormats, 'warning'> {
  return warnings.size === 0 ? {} : { warning: [...warnings].join(' ') }
}
