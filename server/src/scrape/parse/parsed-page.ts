import type { Document } from 'domhandler'
import { parseHtmlWithWarnings } from './parse-html.ts'
import { createUrlResolver, findBaseUrl, type UrlResolver } from './resolve-url.ts'

/** A page whose HTML has been parsed. All later steps read its tree, and cleaning changes it. */
export interface ParsedPage {
  /** URL of the page. With '', relative URLs stay unchanged. */
  readonly url: string
  /** URL that relative URLs are resolved against: that of `<base>`, or `url`. */
  readonly base: string
  /** Resolves URLs against `base`. */
  readonly resolve: UrlResolver
  readonly document: Document
  /** Sentences about content that was left out. */
  readonly warnings: readonly string[]
}

/** Parses the HTML of a page, within the limits of `parseHtml`. */
export function parsePage(html: string, url: string): ParsedPage {
  const { document, warnings } = parseHtmlWithWarnings(html)
  const base = findBaseUrl(document, url)
  return { url, base, resolve: createUrlResolver(base), document, warnings }
}
