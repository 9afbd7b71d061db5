import type { Document } from 'domhandler'
import { visitElements } from './dom-nodes.ts'

/** Returns the base URL of a page: that of its `<base>`, or its own, which may be ''. */
export function findBaseUrl(document: Document, url: string): string {
  let base: string | undefined
  visitElements(document, (element) => {
    if (element.name === 'body') return false
    if (element.name === 'base' && base === undefined) base = element.attribs['href']
    return true
  })
  return (base === undefined ? undefined : URL.parse(base, url === '' ? undefined : url)?.href) ?? url
}

/**
 * Resolves a URL against a base. Returns undefined for invalid URLs and for `javascript:`, `data:`
 * and the like.
 */
export function resolveUrl(url: string | undefined, base: string): string | undefined {
  const trimmed = url?.trim() ?? ''
  // Browsers ignore white space and control characters in a scheme, so `java\nscript:` is a script
  // as well.
  if (trimmed === '' || /^(?:javascript|vbscript|data|blob|about):/i.test(stripControlChars(trimmed))) return undefined
  const parsed = URL.parse(trimmed, base === '' ? undefined : base)
  if (parsed !== null) return parsed.href
  return base === '' ? trimmed : undefined
}

/** Resolves a URL of a page, as `resolveUrl` does. */
export type UrlResolver = (url: string | undefined) => string | undefined

/** Maximum number of URLs that a resolver remembers. */
const maxKnownUrls = 10_000

/**
 * Creates a resolver for the URLs of a page. It remembers them: menus repeat their links, and
 * cleaned links are resolved again.
 */
export function createUrlResolver(base: string): UrlResolver {
  const known = new Map<string, string | undefined>()
  return (url) => {
    if (url === undefined) return undefined
    const found = known.get(url)
    if (found !== undefined || known.has(url)) return found
    const resolved = resolveUrl(url, base)
    if (known.size < maxKnownUrls) {
      known.set(url, resolved)
      // Resolving an absolute URL does not change it.
      if (resolved !== undefined && base !== '') known.set(resolved, resolved)
    }
    return resolved
  }
}

function stripControlChars(text: string): string {
  return text.slice(0, 64).replace(/[^!-\uffff]+/g, '')
}
