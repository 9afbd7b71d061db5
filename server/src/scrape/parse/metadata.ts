import type { Element } from 'domhandler'
import type { ParsedPage } from './parsed-page.ts'
import { resolveUrl } from './resolve-url.ts'
import { textOf, visitElements } from './dom-nodes.ts'

/**
 * Metadata of a page: the fields below, and all other `<meta>` elements under their own names,
 * except those of `serverFields`.
 */
export type PageMetadata = Readonly<Record<string, string | readonly string[]>>

/** Document fields by name, property or itemprop of the `<meta>` element. */
const namedFields: Readonly<Record<string, string>> = {
  description: 'description',
  keywords: 'keywords',
  robots: 'robots',
  'og:title': 'ogTitle',
  'og:description': 'ogDescription',
  'og:url': 'ogUrl',
  'og:image': 'ogImage',
  'og:audio': 'ogAudio',
  'og:determiner': 'ogDeterminer',
  'og:locale': 'ogLocale',
  'og:locale:alternate': 'ogLocaleAlternate',
  'og:site_name': 'ogSiteName',
  'og:video': 'ogVideo',
  'article:section': 'articleSection',
  'article:tag': 'articleTag',
  'article:published_time': 'publishedTime',
  'article:modified_time': 'modifiedTime',
  'dc.description': 'dcDescription',
  'dc.subject': 'dcSubject',
  'dc.type': 'dcType',
  'dc.date': 'dcDate',
  'dc.date.created': 'dcDateCreated',
  'dcterms.subject': 'dcTermsSubject',
  'dcterms.type': 'dcTermsType',
  'dcterms.keywords': 'dcTermsKeywords',
  'dcterms.audience': 'dcTermsAudience',
  'dcterms.created': 'dcTermsCreated',
}

/** Metadata that the server adds to a document. A page must not be able to pretend to any of it. */
const serverFields = new Set([
  'url',
  'sourceURL',
  'statusCode',
  'scrapeId',
  'contentType',
  'error',
  'code',
  'numPages',
  'totalPages',
  'timezone',
  'proxyUsed',
  'cacheState',
  'cachedAt',
  'creditsUsed',
  'indexId',
  'concurrencyLimited',
  'concurrencyQueueDurationMs',
])

const lists = new Set(['ogLocaleAlternate'])
const addresses = new Set(['ogImage', 'ogVideo', 'ogAudio', 'ogUrl'])

/** Extracts title, language, favicon and all `<meta>` elements of a page. */
export function extractMetadata({ document, base, url }: ParsedPage): PageMetadata {
  const fields = new Map<string, string | string[]>()
  let icon: string | undefined
  visitElements(document, (element) => {
    if (element.name === 'svg') return false
    if (element.name === 'html') set(fields, 'language', element.attribs['lang'] ?? element.attribs['xml:lang'])
    else if (element.name === 'title' && !fields.has('title')) set(fields, 'title', textOf(element))
    else if (element.name === 'meta') readMeta(element, fields, base)
    else if (element.name === 'link' && isIcon(element)) icon ??= element.attribs['href']
    return true
  })
  const favicon = resolveUrl(icon ?? (/^https?:/.test(url) ? '/favicon.ico' : undefined), base)
  set(fields, 'favicon', favicon)
  return Object.fromEntries(fields)
}

function isIcon(link: Element): boolean {
  return /(?:^|\s)icon(?:\s|$)/i.test(link.attribs['rel'] ?? '')
}

function set(fields: Map<string, string | string[]>, name: string, value: string | undefined): void {
  const text = value?.replace(/\s+/g, ' ').trim() ?? ''
  if (text !== '') fields.set(name, text)
}

function readMeta(element: Element, fields: Map<string, string | string[]>, base: string): void {
  const { attribs } = element
  const name = (attribs['property'] ?? attribs['name'] ?? attribs['itemprop'])?.trim()
  const content = attribs['content']?.replace(/\s+/g, ' ').trim()
  if (attribs['http-equiv']?.toLowerCase() === 'content-language')
    set(fields, 'language', fields.has('language') ? undefined : content)
  if (name === undefined || name === '' || content === undefined || content === '') return
  // Assigning `__proto__` would not create a field.
  if (name === '__proto__' || serverFields.has(name)) return
  const field = Object.hasOwn(namedFields, name.toLowerCase()) ? (namedFields[name.toLowerCase()] ?? name) : name
  const value = addresses.has(field) ? (resolveUrl(content, base) ?? content) : content
  const known = fields.get(field)
  if (lists.has(field)) fields.set(field, [...(Array.isArray(known) ? known : []), value])
  else if (known === undefined) fields.set(field, value)
  else if (isListed(field)) addTo(fields, field, known, value)
  // Also under its original name, which clients read.
  if (field !== name && !fields.has(name)) fields.set(name, content)
}

/** Tags and unknown names collect all values. Other fields keep their first. */
function isListed(field: string): boolean {
  return field === 'articleTag' || !(field === 'language' || Object.values(namedFields).includes(field))
}

function addTo(fields: Map<string, string | string[]>, field: string, known: string | string[], value: string): void {
  const all = Array.isArray(known) ? known : [known]
  if (!all.includes(value)) fields.set(field, [...all, value])
}
