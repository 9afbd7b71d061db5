import type { Document } from 'bowline/contract/document'
import type { ScrapeOptions } from 'bowline/contract/scrape'

type Formats = ScrapeOptions['formats']

/** What a crawl finds its way by: attributes of the whole page, where the format `links` has those of its main content. */
const selectors = [
  { selector: 'a[href]', attribute: 'href' },
  { selector: 'area[href]', attribute: 'href' },
  { selector: 'base[href]', attribute: 'href' },
]

/** The formats, and the links of the page among the attributes, last. */
export function withLinks(formats: Formats): Formats {
  const given = formats.find((format) => format.type === 'attributes')
  const attributes = { type: 'attributes' as const, selectors: [...(given?.selectors ?? []), ...selectors] }
  return [...formats.filter(({ type }) => type !== 'attributes'), attributes]
}

/** The addresses that a page with such formats links to. */
export function linksOf({ attributes = [], metadata }: Document): readonly string[] {
  const [links, areas, bases] = attributes.slice(-selectors.length).map(({ values }) => values)
  const page = metadata.url ?? metadata.sourceURL
  const base = URL.parse(bases?.[0] ?? '', page)?.href ?? page
  return [...(links ?? []), ...(areas ?? [])]
    .map((href) => URL.parse(href.trim(), base)?.href)
    .filter((url) => url !== undefined)
}

/** The attributes without those links; undefined: there are no others. */
export function withoutLinks(attributes: Document['attributes']): Document['attributes'] {
  return attributes === undefined || attributes.length <= selectors.length
    ? undefined
    : attributes.slice(0, -selectors.length)
}
