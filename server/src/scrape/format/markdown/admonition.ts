import type { Element } from 'domhandler'
import { isElement, isText, textOf } from '../../parse/dom-nodes.ts'
import type { Writer } from './writer.ts'

/**
 * Writes a note, tip or warning of a documentation page as an alert of GitHub (`> [!NOTE]`).
 * Returns `undefined` for other elements. Recognizes the markup of Sphinx, MkDocs, Docusaurus,
 * VitePress, GitHub, Starlight, Asciidoctor, Hugo Docsy and Book, GitBook, ReadMe, Nextra, mdBook
 * and DocFX.
 */
export function writeAdmonition(element: Element, writer: Writer): string | undefined {
  const kind = kindOf(element)
  if (kind === undefined) return undefined
  const body =
    element.name === 'div' && hasClass(element, /\badmonitionblock\b/) ? (findCell(element) ?? element) : element
  const title = findTitle(body)
  const name = title === undefined ? '' : writer.inline(title.children).replace(/\s+/g, ' ').trim()
  const blocks = writer.blocks(body.children.filter((child) => child !== title))
  if (blocks.length === 0 && name === '') return undefined
  const heading = name === '' || isKindName(name) ? [] : [name.startsWith('**') ? name : `**${name}**`]
  const text = [...heading, ...blocks].join('\n\n')
  return `> [!${kind}]\n${text.replace(/^/gm, '> ').replace(/ +$/gm, '')}`
}

const kinds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    NOTE: 'note info information secondary primary seealso abstract summary quote example question faq todo default',
    TIP: 'tip hint success check done okay',
    IMPORTANT: 'important',
    WARNING: 'warning warn attention',
    CAUTION: 'caution danger error bug failure fail critical',
  }).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)),
)

// Each with a kind in its other classes, such as `admonition warning`.
const containerNames =
  /(?:^|\s)(?:(?:theme-)?admonition|admonitionblock|custom-block|markdown-alert|starlight-aside|book-hint|hint|callout|nextra-callout|blockquote-tag)(?:\s|$)/
const docfxNames = /^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)(?:\s|$)/

function kindOf(element: Element): string | undefined {
  const { name, attribs } = element
  const names = attribs['class']
  if (names === undefined || !/^(?:div|aside|blockquote|section|details)$/.test(name)) return undefined
  if (docfxNames.test(names)) return kindIn(names.toLowerCase())
  if (name === 'details') return kindIn(names)
  if (containerNames.test(names)) {
    const others = names.replace(/(?<=^|\s)(?:book-hint|hint|callout)(?=\s|$)/g, '')
    const kind = kindIn(`${attribs['data-callout-type'] ?? ''} ${others}`)
    if (kind !== undefined || !/(?:^|\s)(?:admonition|nextra-callout)(?:\s|$)/.test(names)) return kind
    return /(?:^|\s)hint(?:\s|$)/.test(names) ? 'TIP' : 'NOTE'
  }
  const isAlert = /(?:^|\s)alert(?:\s|$)/.test(names) && hasHeading(element)
  return isAlert ? kindIn(names) : undefined
}

/** Returns the kind that one of the class names, or its last part, stands for. */
function kindIn(names: string): string | undefined {
  for (const name of names.toLowerCase().split(/\s+/)) {
    const kind = kinds.get(name) ?? kinds.get(/[a-z]+$/.exec(name)?.[0] ?? '')
    if (kind !== undefined && name !== '') return kind
  }
  return undefined
}

function hasHeading(element: Element): boolean {
  return element.children.some((child) => isElement(child) && hasClass(child, /\balert-(?:heading|title)\b/))
}

function isKindName(name: string): boolean {
  return kinds.has(
    name
      .toLowerCase()
      .replace(/[^a-z ]/g, '')
      .replace('see also', 'seealso')
      .trim(),
  )
}

const titleNames =
  /(?:^|[\s_-])(?:admonition-?title|admonitionheading|custom-block-title|markdown-alert-title|aside__title|alert-heading|alert-title|callout-heading|callout-title|hint-title|blockquote-tag-title|title)(?:[\s_]|$)/i

/** Returns the title: the first element inside, if it is named so, or the summary. */
function findTitle(body: Element): Element | undefined {
  const first = body.children.find((child) => !isText(child) || child.data.trim() !== '')
  if (first === undefined || !isElement(first)) return undefined
  if (first.name === 'summary' || titleNames.test(first.attribs['class'] ?? '')) return first
  const isWord =
    /^(?:p|h[1-6])$/.test(first.name) && /^\s*(?:note|tip|important|warning|caution)\s*$/i.test(textOf(first))
  return isWord ? first : undefined
}

/** Returns the cell with the content. Asciidoctor writes a table of an icon and the content. */
function findCell(element: Element): Element | undefined {
  for (const child of element.children) {
    if (!isElement(child)) continue
    if (child.name === 'td' && hasClass(child, /\bcontent\b/)) return child
    const found = findCell(child)
    if (found !== undefined) return found
  }
  return undefined
}

function hasClass({ attribs }: Element, names: RegExp): boolean {
  return names.test(attribs['class'] ?? '')
}
