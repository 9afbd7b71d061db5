import type { ChildNode, Document, Element, ParentNode } from 'domhandler'
import { isElement, isText, textOf, visitElements } from '../../parse/dom-nodes.ts'

/** The footnotes of a page, by the elements that are written for them. */
export interface Footnotes {
  /** Links to notes, with the labels to write in their place. */
  readonly references: ReadonlyMap<Element, string>
  /** Elements with the text of a note, and its label. */
  readonly notes: ReadonlyMap<Element, string>
  /** Elements to leave out: links from a note back to its references, and repeated labels. */
  readonly omitted: ReadonlySet<Element>
}

const none: Footnotes = { references: new Map(), notes: new Map(), omitted: new Set() }

interface Reference {
  readonly link: Element
  readonly label: string
  readonly target: string
}

/**
 * Finds links to footnotes and the notes they lead to, as GitHub, Pandoc, Python-Markdown, Sphinx,
 * MediaWiki, WordPress, Word and Substack write them. `urls` are those of the page, whose fragments
 * lead into it.
 */
export function findFootnotes(document: Document, urls: readonly string[]): Footnotes {
  const links = new Map<Element, string>()
  const ids = new Map<string, Element>()
  visitElements(document, (element) => {
    const { id, name } = element.attribs
    if (id !== undefined && !ids.has(id)) ids.set(id, element)
    if (element.name !== 'a') return
    if (name !== undefined && !ids.has(name)) ids.set(name, element)
    const fragment = fragmentOf(element.attribs['href'], urls)
    if (fragment !== undefined) links.set(element, fragment)
  })
  const references = [...links].flatMap(([link, target]) => readReference(link, target) ?? [])
  return references.length === 0 ? none : matchNotes(references, links, ids)
}

/** Returns the decoded fragment of a link that leads to the same page. */
export function fragmentOf(href: string | undefined, urls: readonly string[]): string | undefined {
  const hash = href?.indexOf('#') ?? -1
  if (href === undefined || hash < 0 || hash === href.length - 1) return undefined
  const page = href.slice(0, hash)
  if (page !== '' && !urls.some((url) => url.split('#', 1)[0] === page)) return undefined
  try {
    return decodeURIComponent(href.slice(hash + 1))
  } catch {
    // Not percent-encoded: the id is as written.
    return href.slice(hash + 1)
  }
}

const label = /^[[(]?\s*((?:(?:note|nb|n|fn)\.?\s?)?\d{1,4}|[a-z]{1,2}|[ivxl]{1,6}|[*†‡§¶]{1,3})\s*[\])]?$/i
const referenceNames = /foot-?note|fnref|noteref|cite_?ref|sdendnote|sdfootnote|\bftn|easy-footnote/i

function readReference(link: Element, target: string): Reference | undefined {
  if (link.children.length > 6) return undefined
  const found = label.exec(textOf(link).trim())?.[1]
  if (found === undefined || !(isRaised(link) || referenceNames.test(namesOf(link)))) return undefined
  return { link, target, label: found.replace(/[\s.]+/g, '-').replaceAll('*', 'star') }
}

/** Whether a link is in `<sup>`, at most two levels above, or has one inside. */
function isRaised(link: Element): boolean {
  const { parent } = link
  return isSup(parent) || isSup(parent?.parent ?? null) || link.children.some(isSup)
}

function isSup(node: ChildNode | ParentNode | null): boolean {
  return node !== null && isElement(node) && node.name === 'sup'
}

function namesOf({ attribs }: Element): string {
  return `${attribs['class'] ?? ''} ${attribs['id'] ?? ''} ${attribs['role'] ?? ''} ${attribs['rel'] ?? ''}`
}

function matchNotes(
  references: readonly Reference[],
  links: ReadonlyMap<Element, string>,
  ids: ReadonlyMap<string, Element>,
): Footnotes {
  const written = new Map<Element, string>()
  const notes = new Map<Element, string>()
  const omitted = new Set<Element>()
  const counts = new Map<string, number>()
  const found = new Map<string, Note | undefined>()
  for (const { link, label: wanted, target } of references) {
    if (!found.has(target)) found.set(target, findNote(ids.get(target), links))
    const note = found.get(target)
    if (note === undefined || omitted.has(link) || contains(note.body, link)) continue
    const back = idsOf(link).flatMap((id) => note.linksBack.get(id) ?? [])
    const known = notes.get(note.body)
    if (known === undefined && back.length === 0 && !isInNotes(note.body)) continue
    for (const element of [...back, ...note.labels]) omitted.add(element)
    const name = known ?? unique(wanted, counts)
    notes.set(note.body, name)
    written.set(link, name)
  }
  return { references: written, notes, omitted }
}

/** Returns the label, or `1-2`, `1-3` … if notes before it have the same one. */
function unique(wanted: string, counts: Map<string, number>): string {
  const count = (counts.get(wanted) ?? 0) + 1
  counts.set(wanted, count)
  return count === 1 ? wanted : `${wanted}-${count}`
}

interface Note {
  readonly body: Element
  /** Elements beside or in the body that only repeat its label. */
  readonly labels: readonly Element[]
  /** Links in the body to elements of the page, by their ids. */
  readonly linksBack: ReadonlyMap<string, readonly Element[]>
}

const noteNames = new Set(['li', 'p', 'div', 'aside', 'section', 'dd', 'blockquote', 'footer'])

/** Returns the note whose block starts with the element that a reference leads to. */
function findNote(anchor: Element | undefined, links: ReadonlyMap<Element, string>): Note | undefined {
  if (anchor === undefined) return undefined
  const body = anchor.name === 'dt' ? nextElement(anchor) : blockAt(anchor)
  if (body === undefined) return undefined
  const isLabel = anchor.name === 'dt' || (!noteNames.has(anchor.name) && label.test(textOf(anchor).trim()))
  return { body, labels: isLabel ? [anchor] : [], linksBack: linksIn(body, links) }
}

function nextElement({ next }: Element): Element | undefined {
  let node = next
  while (node !== null && !isElement(node)) node = node.next
  return node ?? undefined
}

function blockAt(anchor: Element): Element | undefined {
  let body = anchor
  for (let steps = 0; !noteNames.has(body.name); steps++) {
    const { parent } = body
    if (steps > 3 || parent === null || !isElement(parent) || !startsWith(parent, body)) return undefined
    body = parent
  }
  return body
}

function startsWith(parent: Element, child: Element): boolean {
  for (const node of parent.children) {
    if (node === child) return true
    if (!isText(node) || node.data.trim() !== '') return false
  }
  return false
}

function contains(parent: Element, node: Element): boolean {
  for (let up: ParentNode | null = node; up !== null; up = up.parent) if (up === parent) return true
  return false
}

/** Returns the ids that a note may link back to: those of a reference and its wrappers. */
function idsOf(reference: Element): readonly string[] {
  const inner = reference.children.find(isElement)
  const ids = [inner?.attribs['id'], reference.attribs['id'], reference.attribs['name']]
  for (let up = reference.parent, steps = 0; steps < 2 && up !== null && isElement(up); up = up.parent, steps++)
    ids.push(up.attribs['id'])
  return ids.filter((id) => id !== undefined)
}

function linksIn(note: Element, links: ReadonlyMap<Element, string>): ReadonlyMap<string, readonly Element[]> {
  const found = new Map<string, Element[]>()
  visitElements(note, (element) => {
    const target = links.get(element)
    if (target === undefined) return
    const same = found.get(target) ?? []
    found.set(target, same)
    same.push(wrapperOf(element, note))
  })
  return found
}

const backNames = /back-?link|back-?ref|fn-?back|(?:^|\s)label(?:\s|$)/i

function wrapperOf(link: Element, note: Element): Element {
  let wrapper = link
  for (let up = link.parent; up !== null && up !== note && isElement(up); up = up.parent)
    if (backNames.test(up.attribs['class'] ?? '')) wrapper = up
  return wrapper
}

const sectionNames = /foot-?notes?|endnotes?|references|reflist|cite_note|(?:^|\s)(?:fn|ftn|notes)(?:[\s:_-]|\d|$)/i

/** Whether an element or one of the four around it is named as a list of notes. */
function isInNotes(note: Element): boolean {
  let up: ParentNode | null = note
  for (let steps = 0; steps < 5 && up !== null && isElement(up); steps++) {
    if (sectionNames.test(namesOf(up))) return true
    up = up.parent
  }
  return false
}

/** Writes a note: `[^1]: ` and its blocks, indented so that they belong to it. */
export function writeFootnote(name: string, blocks: readonly string[]): string {
  const [first = '', ...others] = blocks
  const text = first.replace(/^(?:\[\s*\]|\(\s*\)|[\^↑↩]|\ufe0e|\s)+/u, '')
  const body = [text, ...others].filter((block) => block.trim() !== '').join('\n\n')
  return `[^${name}]: ${body.replace(/\n(?=.)/g, '\n    ')}`.trimEnd()
}
