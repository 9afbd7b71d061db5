import type { ParsedPage } from './parsed-page.ts'
import { isElement, visitElements } from './dom-nodes.ts'
import { imageSource, largestCandidate, removedImagePlaceholder } from './image-source.ts'

/**
 * Returns the URLs that a page links to, without duplicates, in document order. They are absolute
 * if the page has a URL. Skips links within the page.
 */
export function extractLinks({ document, resolve }: ParsedPage): readonly string[] {
  const links = new Set<string>()
  visitElements(document, (element) => {
    if (element.name !== 'a' && element.name !== 'area') return
    const href = element.attribs['href']
    if (href === undefined || href.trim().startsWith('#')) return
    const address = resolve(href)
    if (address !== undefined) links.add(address)
  })
  return [...links]
}

/**
 * Returns the URLs of the images of a page, without duplicates. They are absolute if the page has a
 * URL. Includes lazy and responsive images, posters, icons, backgrounds and preview images.
 */
export function extractImages({ document, base, resolve }: ParsedPage): readonly string[] {
  const images = new Set<string>()
  const add = (source: string | undefined): void => {
    if (source === removedImagePlaceholder) return
    const address = resolve(source)
    if (address !== undefined && (base === '' || /^https?:/.test(address))) images.add(address)
  }
  visitElements(document, (element) => {
    const { name, attribs } = element
    if (name === 'img') add(imageSource(element))
    else if (
      name === 'source' &&
      element.parent !== null &&
      isElement(element.parent) &&
      element.parent.name === 'picture'
    ) {
      add(attribs['srcset'] === undefined ? undefined : largestCandidate(attribs['srcset']))
    } else if (name === 'video') add(attribs['poster'])
    else if (name === 'link' && /(?:^|\s)(?:icon|apple-touch-icon)(?:\s|$)/i.test(attribs['rel'] ?? ''))
      add(attribs['href'])
    else if (
      name === 'meta' &&
      /^(?:og|twitter):image(?::url|:src)?$/i.test(attribs['property'] ?? attribs['name'] ?? '')
    )
      add(attribs['content'])
    for (const match of (attribs['style'] ?? '').matchAll(/background(?:-image)?\s*:[^;]*url\(\s*["']?([^"')]+)/gi))
      add(match[1])
  })
  return [...images]
}
