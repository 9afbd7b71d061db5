import type { Document } from 'bowline/contract/document'
import type { ScrapeOptions } from 'bowline/contract/scrape'

type Formats = ScrapeOptions['formats']

/** CSS comment that tells the selectors of a crawl from those of its caller. */
const mark = '/* crawl */'

/**
 * Attributes in which a crawl finds links. They cover the whole page. The format `links` covers
 * only its main content.
 */
const selectors = ['a[href]', 'area[href]', 'base[href]'].map((selector) => ({
  selector: `${selector}${mark}`,
  attribute: 'href',
}))

/** Adds the link attributes to the formats, as the last selectors. */
export function withLinks(formats: Formats): Formats {
  const given = formats.find((format) => format.type === 'attributes')
  const attributes = { type: 'attributes' as const, selectors: [...(given?.selectors ?? []), ...selectors] }
  return [...formats.filter(({ type }) => type !== 'attributes'), attributes]
}

/** Returns formats without the link attributes that `withLinks` added. */
export function withoutLinkFormats(formats: Formats): Formats {
  return formats
    .map((format) => (format.type === 'attributes' ? withoutLinkSelectors(format) : format))
    .filter((format) => format.type !== 'attributes' || format.selectors.length > 0)
}

function withoutLinkSelectors<Format extends { readonly selectors: readonly { readonly selector: string }[] }>(
  format: Format,
): Format {
  return { ...format, selectors: format.selectors.filter(({ selector }) => !selector.endsWith(mark)) }
}

/**
 * Maximum total length of the URLs taken from one page. A long `base` makes 100,000 short links a
 * gigabyte on their way to the database.
 */
const maxCharacters = 10_000_000

/** The links of a page. */
export interface PageLinks {
  readonly urls: readonly string[]
  /** Whether links after the first ten million characters were left out. */
  readonly isCut: boolean
}

/** Returns the URLs that a page scraped with these formats links to. */
export function linksOf({ attributes = [], metadata }: Document): PageLinks {
  const [links, areas, bases] = attributes.slice(-selectors.length).map(({ values }) => values)
  const page = metadata.url ?? metadata.sourceURL
  const base = URL.parse(bases?.[0] ?? '', page)?.href ?? page
  const urls: string[] = []
  let characters = 0
  for (const href of [...(links ?? []), ...(areas ?? [])]) {
    const url = URL.parse(href.trim(), base)?.href
    if (url === undefined) continue
    characters += url.length
    if (characters > maxCharacters) return { urls, isCut: true }
    urls.push(url)
  }
  return { urls, isCut: false }
}

/** Removes the link attributes. Returns `undefined` if no others are left. */
export function withoutLinks(attributes: Document['attributes']): Document['attributes'] {
  return attributes === undefined || attributes.length <= selectors.length
    ? undefined
    : attributes.slice(0, -selectors.length)
}

/** Returns the document of a scrape as its caller sees it, whether or not a crawl made it. */
export function hideLinks(document: Document): Document {
  const { attributes } = document
  return attributes?.at(-1)?.selector.endsWith(mark) === true
    ? { ...document, attributes: withoutLinks(attributes) }
    : document
}
