import { Element, Text, type Document } from 'domhandler'
import { findBaseUrl, resolveUrl } from '../parse/resolve-url.ts'
import { parseHtml } from '../parse/parse-html.ts'
import { isElement, visitElements } from '../parse/dom-nodes.ts'
import { imageSource, largestCandidate, removedImagePlaceholder } from '../parse/image-source.ts'
import { pruneTree } from './main-content/prune.ts'
import { selectMainContent } from './main-content/select.ts'
import { keepMatching, removeMatching } from '../parse/select-elements.ts'
import { normalizeTree } from '../parse/normalize-tree.ts'
import { removeAds } from './remove-ads.ts'
import { filterTree } from '../parse/edit-tree.ts'

/** What of a page is wanted. */
export interface CleanOptions {
  /** Whether menus, sidebars, footers and the like are left out. Default true; nothing to choose from with `includeTags`. */
  readonly onlyMainContent?: boolean | undefined
  /** Whether doubtful parts are left out too: fewer words, all of them content. Default false. */
  readonly onlyCleanContent?: boolean | undefined
  /** Only elements that match one of these selectors. Default: all. */
  readonly includeTags?: readonly string[] | undefined
  /** Elements that match one of these selectors are left out. Default: none. */
  readonly excludeTags?: readonly string[] | undefined
  /** Whether places of advertisements and banners about cookies are left out. Default false. */
  readonly blockAds?: boolean | undefined
  /** Whether images inside the page (`data:`) lose their data. Default true. */
  readonly removeBase64Images?: boolean | undefined
}

/** A page to clean. */
export interface PageSource {
  readonly html: string
  /** Where the page is from. '' = unknown: relative addresses stay as they are. */
  readonly url: string
  readonly options?: CleanOptions | undefined
}

/** A cleaned page: a tree with only what is wanted, its addresses absolute. */
export interface CleanedPage {
  readonly document: Document
  readonly url: string
  readonly removeBase64Images: boolean
  /** Whether `includeTags` matches nothing, so that nothing is left. */
  readonly isUnmatched: boolean
}

/** Cleans a page. Throws BAD_REQUEST for a selector that is none. */
export function cleanPage({ html, url, options }: PageSource): CleanedPage {
  return cleanTree(parseHtml(html), url, options)
}

/** Cleans a page that is a tree already; the tree changes. Throws BAD_REQUEST for a selector that is none. */
export function cleanTree(document: Document, url: string, options: CleanOptions = {}): CleanedPage {
  const { includeTags = [], excludeTags = [], onlyCleanContent = false, removeBase64Images = true } = options
  const isChosen = includeTags.length === 0 && (onlyCleanContent || (options.onlyMainContent ?? true))
  normalizeTree(document, isChosen ? 'short' : 'all')
  if (options.blockAds === true) removeAds(document)
  if (excludeTags.length > 0) removeMatching(document, excludeTags)
  const isUnmatched = includeTags.length > 0 && !keepMatching(document, includeTags)
  if (isChosen) keepMainContent(document, onlyCleanContent)
  removeNonContent(document)
  resolveUrls(document, findBaseUrl(document, url), removeBase64Images)
  return { document, url, removeBase64Images, isUnmatched }
}

function keepMainContent(document: Document, isStrict: boolean): void {
  const content = selectMainContent(document, { beta: isStrict ? 0.5 : 1 })
  if (content.isKept.includes(true)) pruneTree(document, content)
  else showDescription(document)
}

/** A page that shows nothing without its scripts still says in its head what it is about. */
function showDescription(document: Document): void {
  let description: string | undefined
  let body: Element | undefined
  visitElements(document, (element) => {
    const name = element.attribs['name'] ?? element.attribs['property']
    if (element.name === 'meta' && (name === 'description' || name === 'og:description'))
      description ??= element.attribs['content']
    if (element.name === 'body') body ??= element
  })
  if (description === undefined || description.trim() === '' || body === undefined) return
  const paragraph = new Element('p', {}, [new Text(description.trim())])
  paragraph.parent = body
  body.children = [paragraph]
}

const nonContentNames = /^(?:script|style|noscript|template|iframe|object|embed|link|meta|canvas)$/

function removeNonContent(document: Document): void {
  filterTree(document, (node) => !isElement(node) || !nonContentNames.test(node.name))
}

const urlAttributes = ['href', 'src', 'poster', 'cite', 'action', 'data'] as const

function resolveUrls(document: Document, base: string, removeBase64Images: boolean): void {
  visitElements(document, (element) => {
    const { attribs, name } = element
    for (const key of Object.keys(attribs)) if (key.startsWith('on')) delete attribs[key]
    if (name === 'img') {
      const source = imageSource(element)
      if (source !== undefined) attribs['src'] = source
      for (const key of Object.keys(attribs)) if (/^data-.*src|^srcset$|^loading$/.test(key)) delete attribs[key]
      if (/^data:/i.test(attribs['src'] ?? '')) {
        if (removeBase64Images) attribs['src'] = removedImagePlaceholder
        return
      }
    } else if (name === 'source' && attribs['srcset'] !== undefined) {
      attribs['srcset'] = resolveUrl(largestCandidate(attribs['srcset']), base) ?? ''
    }
    for (const key of urlAttributes) {
      const value = attribs[key]
      if (value === undefined) continue
      const address = resolveUrl(value, base)
      if (address === undefined) delete attribs[key]
      else attribs[key] = address
    }
  })
}
