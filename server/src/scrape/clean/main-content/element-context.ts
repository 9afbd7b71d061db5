import { isElement } from '../../parse/dom-nodes.ts'
import type { Element } from 'domhandler'
import { marksOf, markNames } from './lexicon.ts'

/**
 * Position of an element in the page: its ancestors and their names. Computed once, from that of
 * its parent.
 */
export interface ElementContext {
  readonly element: Element
  /** Position in `Layout.elements`, after that of the parent. */
  readonly index: number
  readonly parent: ElementContext | undefined
  readonly depth: number
  /** Level of the heading that the element is in, at most three steps up, or 0. */
  readonly headingLevel: number
  /** The element and its parent, as bits of `tagKinds`. */
  readonly tags: number
  /** Areas that the element is in, as bits of `areaNames`. */
  readonly areas: number
  /** Steps up to the nearest element of each mark group, or 99. */
  readonly markSteps: Uint8Array
  /** Whether an attribute or an inline style hides it. */
  readonly isHidden: boolean
  /** Name and class. Digits in the class are left out, so that numbered elements have the same. */
  readonly signature: string
  /** Sums over all texts inside. */
  readonly sums: Sums
  /** Similar siblings, if there are at least two others. */
  group: Group | undefined
}

/** Sums over texts. */
export interface Sums {
  words: number
  linkWords: number
  sentences: number
  leaves: number
  paragraphWords: number
  boilerplate: number
  order: number
}

/** Similar siblings: posts, cards, rows. */
export interface Group {
  readonly size: number
  readonly sums: Sums
}

/** Elements that features distinguish, as parent or grandparent of a text. */
export const tagKinds = [
  'p',
  'li',
  'td',
  'th',
  'a',
  'span',
  'div',
  'dt',
  'dd',
  'label',
  'button',
  'figcaption',
  'time',
  'summary',
] as const

const tagBits = new Map<string, number>(tagKinds.map((name, index) => [name, 1 << index]))

/** Areas of a page that elements and roles name, in the order of their bits. */
export const areaNames = [
  'nav',
  'header',
  'footer',
  'aside',
  'main',
  'article',
  'form',
  'table',
  'list',
  'figure',
  'dialog',
  'button',
  'details',
  'blockquote',
  'section',
  'pre',
  'link',
  'noscript',
  'headerInArticle',
  'footerInArticle',
] as const

const bit = Object.fromEntries(areaNames.map((name, index) => [name, 1 << index])) as Record<
  (typeof areaNames)[number],
  number
>

const areaByName: Readonly<Record<string, number>> = {
  nav: bit.nav,
  header: bit.header,
  footer: bit.footer,
  aside: bit.aside,
  main: bit.main,
  article: bit.article,
  form: bit.form,
  table: bit.table,
  ul: bit.list,
  ol: bit.list,
  figure: bit.figure,
  dialog: bit.dialog,
  button: bit.button,
  details: bit.details,
  blockquote: bit.blockquote,
  section: bit.section,
  pre: bit.pre,
  a: bit.link,
  noscript: bit.noscript,
}

const areaByRole: Readonly<Record<string, number>> = {
  navigation: bit.nav,
  banner: bit.header,
  contentinfo: bit.footer,
  complementary: bit.aside,
  main: bit.main,
  article: bit.article,
  dialog: bit.dialog,
  alertdialog: bit.dialog,
  search: bit.form,
  button: bit.button,
  menu: bit.nav,
  menubar: bit.nav,
  list: bit.list,
}

/** Returns sums of zero. */
export function newSums(): Sums {
  return {
    words: 0,
    linkWords: 0,
    sentences: 0,
    leaves: 0,
    paragraphWords: 0,
    boilerplate: 0,
    order: -1,
  }
}

function isHiddenElement(element: Element): boolean {
  const { attribs } = element
  return (
    attribs['hidden'] !== undefined ||
    attribs['aria-hidden'] === 'true' ||
    (attribs['style'] !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attribs['style']))
  )
}

/** Contexts of the elements of a page. */
export interface Contexts {
  readonly byElement: Map<Element, ElementContext>
  /** Marks by the names that have them: most elements share theirs with others. */
  readonly marksByNames: Map<string, number>
}

/** Returns the context of an element, cached in `contexts`. */
export function contextOf(element: Element, contexts: Contexts): ElementContext {
  const known = contexts.byElement.get(element)
  if (known !== undefined) return known
  const parent = element.parent !== null && isElement(element.parent) ? contextOf(element.parent, contexts) : undefined
  const context: ElementContext = {
    element,
    index: contexts.byElement.size,
    parent,
    depth: (parent?.depth ?? 0) + 1,
    headingLevel: headingLevelOf(element),
    tags: tagOf(element) | (parent === undefined ? 0 : tagOf(parent.element)),
    areas: areasOf(element, parent?.areas ?? 0),
    markSteps: stepsOf(marksOfElement(element, contexts.marksByNames), parent?.markSteps),
    isHidden: (parent?.isHidden ?? false) || isHiddenElement(element),
    signature: `${element.name} ${(element.attribs['class'] ?? '').replace(/\d+/g, '')}`,
    sums: newSums(),
    group: undefined,
  }
  contexts.byElement.set(element, context)
  return context
}

function headingLevelOf(element: Element): number {
  let up: Element | null = element
  for (let step = 0; step < 4 && up !== null; step++) {
    const level = up.name.length === 2 && up.name.startsWith('h') ? up.name.charCodeAt(1) - 48 : 0
    if (level >= 1 && level <= 6) return level
    const parent: Element['parent'] = up.parent
    up = parent !== null && 'name' in parent ? parent : null
  }
  return 0
}

function tagOf(element: Element): number {
  return tagBits.get(element.name) ?? 0
}

function areasOf(element: Element, above: number): number {
  const own = (areaByName[element.name] ?? 0) | (areaByRole[element.attribs['role'] ?? ''] ?? 0)
  let areas = above | own
  const isInside = (above & (bit.main | bit.article)) !== 0
  if (isInside && (own & bit.header) !== 0)
    areas = (areas & ~(above & bit.header ? 0 : bit.header)) | bit.headerInArticle
  if (isInside && (own & bit.footer) !== 0)
    areas = (areas & ~(above & bit.footer ? 0 : bit.footer)) | bit.footerInArticle
  return areas
}

const noSteps = new Uint8Array(markNames.length).fill(99)

function marksOfElement(element: Element, marksByNames: Map<string, number>): number {
  if (element.name === 'body' || element.name === 'html') return 0
  const { attribs } = element
  const names = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''} ${attribs['itemprop'] ?? ''} ${attribs['role'] ?? ''} ${attribs['data-testid'] ?? ''} ${(attribs['aria-label'] ?? '').slice(0, 60)} ${element.name.includes('-') ? element.name : ''}`
  const known = marksByNames.get(names)
  if (known !== undefined) return known
  const marks = marksOf(names)
  marksByNames.set(names, marks)
  return marks
}

function stepsOf(marks: number, above: Uint8Array | undefined): Uint8Array {
  const steps = new Uint8Array(markNames.length)
  for (let index = 0; index < steps.length; index++) {
    const up = (above ?? noSteps)[index] ?? 99
    steps[index] = (marks >> index) & 1 ? 0 : up === 99 ? 99 : Math.min(up + 1, 98)
  }
  return steps
}

/** Adds a text to the sums of its element and of all ancestors. */
export function addToSums(context: ElementContext, text: Omit<Sums, 'leaves'>): void {
  for (let up: ElementContext | undefined = context; up !== undefined; up = up.parent) {
    const { sums } = up
    sums.words += text.words
    sums.linkWords += text.linkWords
    sums.sentences += text.sentences
    sums.paragraphWords += text.paragraphWords
    sums.boilerplate += text.boilerplate
    sums.leaves++
    if (sums.order < 0) sums.order = text.order
  }
}

/** Groups similar siblings: at least three with the same name and class. */
export function findGroups(contexts: ReadonlyMap<Element, ElementContext>): readonly Group[] {
  const groupsBySignature = new Map<ElementContext, Map<string, ElementContext[]>>()
  for (const context of contexts.values()) {
    if (context.parent === undefined) continue
    const bySignature = groupsBySignature.get(context.parent) ?? new Map<string, ElementContext[]>()
    groupsBySignature.set(context.parent, bySignature)
    const similar = bySignature.get(context.signature)
    if (similar === undefined) bySignature.set(context.signature, [context])
    else similar.push(context)
  }
  const groups: Group[] = []
  for (const bySignature of groupsBySignature.values()) {
    for (const similar of bySignature.values()) {
      if (similar.length < 3) continue
      const group = { size: similar.length, sums: newSums() }
      for (const context of similar) {
        context.group = group
        for (const key of ['words', 'linkWords', 'sentences', 'leaves', 'paragraphWords', 'boilerplate'] as const) {
          group.sums[key] += context.sums[key]
        }
      }
      groups.push(group)
    }
  }
  return groups
}
