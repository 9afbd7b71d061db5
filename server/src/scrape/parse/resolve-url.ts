import type { Document } from 'domhandler'
import { visitElements } from './dom-nodes.ts'

/** Finds the address that relative addresses of a page start from: its `<base>`, or its own URL. */
export function findBaseUrl(document: Document, url: string): string {
  let base: string | undefined
  visitElements(document, (element) => {
    if (element.name === 'body') return false
    if (element.name === 'base' && base === undefined) base = element.attribs['href']
    return true
  })
  return (base === undefined ? undefined : URL.parse(base, url)?.href) ?? url
}

/** Makes an address absolute. Undefined for scripts, and for what is no address. */
export function resolveUrl(address: string | undefined, base: string): string | undefined {
  const trimmed = address?.trim() ?? ''
  // Browsers skip white space and control characters inside a scheme, so `java\nscript:` is a script too.
  if (trimmed === '' || /^(?:javascript|vbscript|data|blob|about):/i.test(stripControls(trimmed))) return undefined
  const parsed = URL.parse(trimmed, base === '' ? undefined : base)
  if (parsed !== null) return parsed.href
  return base === '' ? trimmed : undefined
}

function stripControls(text: string): string {
  let kept = ''
  for (const character of text.slice(0, 64)) if (character > ' ') kept += character
  return kept
}
