import type { Document } from 'domhandler'
import type { Product } from 'bowline/contract/product'
import type { CleanOptions } from '../clean/clean-page.ts'
import { parsePage } from '../parse/parsed-page.ts'
import { isText, textOf, visitElements } from '../parse/dom-nodes.ts'
import { extractProduct } from '../parse/product/extract-product.ts'
import { findElements } from '../parse/select-elements.ts'
import { makeHtmlFormats, type HtmlFormat, type HtmlFormats } from './make-html-formats.ts'

/**
 * HTML to process, and the formats to return. Plain data, since it is sent to a process.
 */
export interface HtmlJob {
  readonly html: string
  readonly url: string
  readonly formats: readonly HtmlFormat[]
  readonly options: CleanOptions
  /** Attributes to collect. */
  readonly attributes?: readonly { readonly selector: string; readonly attribute: string }[] | undefined
  /** Whether to extract the product of the page. Default: false. */
  readonly wantsProduct?: boolean | undefined
}

/** Values of one attribute, in document order. */
export interface AttributeValues {
  readonly selector: string
  readonly attribute: string
  readonly values: readonly string[]
}

/** Formats of a page, and the facts that the loader needs. */
export interface ProcessedHtml extends HtmlFormats {
  /** Whether the page is empty until its scripts have run or its frames have loaded. */
  readonly isShell: boolean
  readonly attributes?: readonly AttributeValues[]
  /** Undefined if it was not requested, or the page names none. */
  readonly product?: Product | undefined
}

/**
 * Does all CPU-bound work on one page: parses its HTML once, reads what cleaning would remove, then
 * cleans and formats it. Throws BAD_REQUEST for an invalid selector.
 */
export function processHtml({ html, url, formats, options, attributes, wantsProduct = false }: HtmlJob): ProcessedHtml {
  const page = parsePage(html, url)
  // Cleaning changes the tree, so these come first.
  const hasShellTree = html.length <= maxShellLength && /<(?:script|i?frame)\b/i.test(html) && isShell(page.document)
  const collected = attributes === undefined ? {} : { attributes: collect(page.document, attributes) }
  const product = wantsProduct ? { product: extractProduct(page) } : {}
  const made = makeHtmlFormats(page, formats, options)
  return {
    ...made,
    ...collected,
    ...product,
    // The warning does not apply to raw HTML and screenshots, which contain the whole page.
    ...(formats.length === 0 && attributes === undefined && !wantsProduct && { warning: undefined }),
    isShell: hasShellTree && (made.markdown?.length ?? 0) < minContentCharacters,
  }
}

function collect(document: Document, wanted: NonNullable<HtmlJob['attributes']>): readonly AttributeValues[] {
  return wanted.map(({ selector, attribute }) => ({
    selector,
    attribute,
    values: findElements(document, selector)
      .filter(({ attribs }) => Object.hasOwn(attribs, attribute.toLowerCase()))
      .map(({ attribs }) => attribs[attribute.toLowerCase()] ?? ''),
  }))
}

/** HTML of more characters rules out an empty shell. */
const maxShellLength = 500_000

/** Markdown of this many characters rules out an empty shell. */
const minContentCharacters = 2000

/** A page with scripts and fewer words may be an empty shell. */
const maxShellWords = 40

/** Ids of the elements that frameworks render into. */
const mountIds = /^(?:root|app|main|__next|__nuxt|react-root|svelte|application|container)$/i

function isShell(document: Document): boolean {
  let words = 0
  let hasMount = false
  let asksForScripts = false
  visitElements(document, (element) => {
    // Most pages have enough words in their first elements.
    if (words >= maxShellWords) return false
    const { name, attribs } = element
    if (name === 'noscript') asksForScripts ||= /javascript/i.test(textOf(element))
    if (/^(?:head|noscript|style|script|template)$/.test(name)) return false
    for (const child of element.children) if (isText(child)) words += child.data.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
    hasMount ||= mountIds.test(attribs['id'] ?? '') && element.children.length <= 1 && textOf(element).trim() === ''
    return true
  })
  return words < maxShellWords && (hasMount || asksForScripts || words < 5)
}
