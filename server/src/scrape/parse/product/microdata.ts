import type { Document, Element } from 'domhandler'
import { textOf, visitElements } from '../dom-nodes.ts'
import type { Node } from './node.ts'

/** Items may be nested this deeply. */
const maxDepth = 5

/** Maximum number of properties of an item. */
const maxProperties = 1000

/** Returns the items with microdata of schema.org at the top of a page, in the shape of JSON-LD. */
export function readMicrodata(document: Document): readonly Node[] {
  const items: Node[] = []
  visitElements(document, (element) => {
    if (!isItem(element)) return true
    items.push(readItem(element, 0))
    return false
  })
  return items
}

function isItem({ attribs }: Element): boolean {
  return Object.hasOwn(attribs, 'itemscope') && /schema\.org\//i.test(attribs['itemtype'] ?? '')
}

function readItem(item: Element, depth: number): Node {
  const properties = new Map<string, unknown[]>()
  let count = 0
  visitElements(item, (element) => {
    const isInner = Object.hasOwn(element.attribs, 'itemscope')
    const names = element.attribs['itemprop']?.split(/\s+/).filter((name) => name !== '') ?? []
    if (names.length === 0 || count >= maxProperties) return !isInner
    count += names.length
    const value = isInner && depth < maxDepth ? readItem(element, depth + 1) : valueOf(element)
    for (const name of names) {
      const values = properties.get(name)
      if (values === undefined) properties.set(name, [value])
      else values.push(value)
    }
    return !isInner
  })
  const types = (item.attribs['itemtype'] ?? '').split(/\s+/).filter((type) => type !== '')
  return { ...Object.fromEntries(properties), '@type': types }
}

/** The value of a property is in an attribute, or the text. */
function valueOf(element: Element): string {
  const { content, href, src, datetime, value } = element.attribs
  return content ?? href ?? src ?? datetime ?? value ?? textOf(element)
}
