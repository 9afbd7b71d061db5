import type { CleanOptions } from '../extract/clean-page.ts'
import { parseHtml } from '../parse/parse-html.ts'
import { isText, textOf, visitElements } from '../parse/dom-nodes.ts'
import { findElements } from '../parse/select-elements.ts'
import { readPage, type PageFormat, type PageReading } from './html-formats.ts'

/** What is wanted of a page's HTML. Plain data: it crosses to a worker thread. */
export interface PageJob {
  readonly html: string
  readonly url: string
  readonly formats: readonly PageFormat[]
  readonly options: CleanOptions
  /** Attributes to collect. */
  readonly attributes?: readonly { readonly selector: string; readonly attribute: string }[] | undefined
}

/** The values of one attribute. */
export interface AttributeValues {
  readonly selector: string
  readonly attribute: string
  readonly values: readonly string[]
}

/** A page as read. */
export interface PageResult extends PageReading {
  /** Whether the page shows nothing before its scripts have run. */
  readonly isShell: boolean
  readonly attributes?: readonly AttributeValues[]
}

/** Words below which a page with scripts may be an empty shell. */
const fewWords = 40

/** Characters of Markdown that no shell has. */
const longMarkdown = 2000

/** Does the work on one page that takes processor time. Throws BAD_REQUEST for a selector that is none. */
export function workOnPage({ attributes, ...request }: PageJob): PageResult {
  const reading = readPage(request)
  return {
    ...reading,
    isShell: (reading.markdown?.length ?? 0) < longMarkdown && isShell(request.html),
    ...(attributes === undefined ? {} : { attributes: collect(request.html, attributes) }),
  }
}

function collect(html: string, wanted: NonNullable<PageJob['attributes']>): readonly AttributeValues[] {
  const document = parseHtml(html)
  return wanted.map(({ selector, attribute }) => ({
    selector,
    attribute,
    values: findElements(document, selector)
      .filter(({ attribs }) => Object.hasOwn(attribs, attribute.toLowerCase()))
      .map(({ attribs }) => attribs[attribute.toLowerCase()] ?? ''),
  }))
}

/** Where frameworks put what their scripts make. */
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
  return words < fewWords && (hasMount || asksForScripts || words < 5)
}
