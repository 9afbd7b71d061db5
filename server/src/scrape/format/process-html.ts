import type { CleanOptions } from '../clean/clean-page.ts'
import { parseHtml } from '../parse/parse-html.ts'
import { isText, textOf, visitElements } from '../parse/dom-nodes.ts'
import { findElements } from '../parse/select-elements.ts'
import { makeHtmlFormats, type HtmlFormat, type HtmlFormats } from './make-html-formats.ts'

/**
 * HTML to process, and the formats to return. Plain data, since it is posted to a worker thread.
 */
export interface HtmlJob {
  readonly html: string
  readonly url: string
  readonly formats: readonly HtmlFormat[]
  readonly options: CleanOptions
  /** Attributes to collect. */
  readonly attributes?: readonly { readonly selector: string; readonly attribute: string }[] | undefined
}

/** Values of one attribute, in document order. */
export interface AttributeValues {
  readonly selector: string
  readonly attribute: string
  readonly values: readonly string[]
}

/** Formats of a page, and what the loader needs to know about it. */
export interface ProcessedHtml extends HtmlFormats {
  /** Whether the page is empty until its scripts have run. */
  readonly isShell: boolean
  readonly attributes?: readonly AttributeValues[]
}

/** Does all CPU-bound work on one page. Throws BAD_REQUEST for an invalid selector. */
export function processHtml({ attributes, ...request }: HtmlJob): ProcessedHtml {
  const formats = makeHtmlFormats(request)
  return {
    ...formats,
    isShell: (formats.markdown?.length ?? 0) < minContentCharacters && isShell(request.html),
    ...(attributes === undefined ? {} : { attributes: collect(request.html, attributes) }),
  }
}

function collect(html: string, wanted: NonNullable<HtmlJob['attributes']>): readonly AttributeValues[] {
  const document = parseHtml(html)
  return wanted.map(({ selector, attribute }) => ({
    selector,
    attribute,
    values: findElements(document, selector)
      .filter(({ attribs }) => Object.hasOwn(attribs, attribute.toLowerCase()))
      .map(({ attribs }) => attribs[attribute.toLowerCase()] ?? ''),
  }))
}

/** Markdown of this many characters rules out an empty shell. */
const minContentCharacters = 2000

/** A page with scripts and fewer words may be an empty shell. */
const maxShellWords = 40

/** Ids of the elements that frameworks render into. */
const mountIds = /^(?:root|app|main|__next|__nuxt|react-root|svelte|application|container)$/i

function isShell(html: string): boolean {
  if (html.length > 500_000 || !/<script/i.test(html)) return false
  const document = parseHtml(html)
  let words = 0
  let hasMount = false
  let asksForScripts = false
  visitElements(document, (element) => {
    const { name, attribs } = element
    if (name === 'noscript') asksForScripts ||= /javascript/i.test(textOf(element))
    if (/^(?:head|noscript|style|script|template)$/.test(name)) return false
    for (const child of element.children) if (isText(child)) words += child.data.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
    hasMount ||= mountIds.test(attribs['id'] ?? '') && element.children.length <= 1 && textOf(element).trim() === ''
    return true
  })
  return words < maxShellWords && (hasMount || asksForScripts || words < 5)
}
