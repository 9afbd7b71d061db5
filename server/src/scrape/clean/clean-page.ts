import { Text, type Document, type Element } from 'domhandler'
import type { ParsedPage } from '../parse/parsed-page.ts'
import type { UrlResolver } from '../parse/resolve-url.ts'
import { isElement, visitElements } from '../parse/dom-nodes.ts'
import { linkEmbeds } from '../parse/embeds.ts'
import { imageSource, largestCandidate, removedImagePlaceholder } from '../parse/image-source.ts'
import { pruneTree } from './main-content/prune.ts'
import { selectMainContent, type SelectOptions } from './main-content/select.ts'
import { keepMatching, removeMatching } from '../parse/select-elements.ts'
import { normalizeTree } from '../parse/normalize-tree.ts'
import { removeAds } from './remove-ads.ts'
import { createElement, filterTree, setChildren } from '../parse/edit-tree.ts'

/** Which parts of a page to keep. */
export interface CleanOptions {
  /** Remove menus, sidebars, footers and the like. Ignored with `includeTags`. Default: true. */
  readonly onlyMainContent?: boolean | undefined
  /** Also remove parts that are only probably content. Default: false. */
  readonly onlyCleanContent?: boolean | undefined
  /**
   * Keep (`true`) or remove (`false`) the comments of readers in the main content. Default: those
   * that are probably content, such as the replies of a thread.
   */
  readonly includeComments?: boolean | undefined
  /** Keep only elements that match one of these selectors. Default: all. */
  readonly includeTags?: readonly string[] | undefined
  /** Remove elements that match one of these selectors. Default: none. */
  readonly excludeTags?: readonly string[] | undefined
  /** Remove advertisements and consent banners. Default: false. */
  readonly blockAds?: boolean | undefined
  /** Replace the data of base64 images (`data:`) with a placeholder. Default: true. */
  readonly removeBase64Images?: boolean | undefined
}

/** The result of cleaning a page, in addition to its changed tree. */
export interface Cleaning {
  readonly removeBase64Images: boolean
  /** Whether `includeTags` matches nothing, so that the page is empty. */
  readonly isUnmatched: boolean
}

/**
 * Cleans the tree of a page in place, and makes its URLs absolute. Throws BAD_REQUEST for an
 * invalid selector.
 */
export function cleanPage({ document, resolve }: ParsedPage, options: CleanOptions = {}): Cleaning {
  const { includeTags = [], excludeTags = [], onlyCleanContent = false, removeBase64Images = true } = options
  const selectsMainContent = includeTags.length === 0 && (onlyCleanContent || (options.onlyMainContent ?? true))
  normalizeTree(document, selectsMainContent ? 'short' : 'all')
  if (options.blockAds === true) removeAds(document)
  if (excludeTags.length > 0) removeMatching(document, excludeTags)
  const isUnmatched = includeTags.length > 0 && !keepMatching(document, includeTags)
  if (selectsMainContent)
    keepMainContent(document, { beta: onlyCleanContent ? 0.5 : 1, includeComments: options.includeComments })
  linkEmbeds(document)
  removeNonContent(document)
  resolveUrls(document, resolve, removeBase64Images)
  return { removeBase64Images, isUnmatched }
}

function keepMainContent(document: Document, options: SelectOptions): void {
  const content = selectMainContent(document, options)
  if (content.isKept.includes(true)) pruneTree(document, content)
  else showDescription(document)
}

/** Shows the meta description of a page that is empty without its scripts. */
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
  setChildren(body, [createElement('p', {}, [new Text(description.trim())])])
}

const nonContentNames = /^(?:script|style|noscript|template|iframe|object|embed|link|meta|canvas)$/

function removeNonContent(document: Document): void {
  filterTree(document, (node) => !isElement(node) || !nonContentNames.test(node.name))
}

const urlAttributes: ReadonlySet<string> = new Set(['href', 'src', 'poster', 'cite', 'action', 'data'])

function resolveUrls(document: Document, resolve: UrlResolver, removeBase64Images: boolean): void {
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
      attribs['srcset'] = resolve(largestCandidate(attribs['srcset'])) ?? ''
    }
    for (const [key, value] of Object.entries(attribs)) {
      if (!urlAttributes.has(key)) continue
      const address = resolve(value)
      if (address === undefined) delete attribs[key]
      else attribs[key] = address
    }
  })
}
