import { Parser } from 'htmlparser2'
import { textCharset } from '../../kit/text-charset.ts'
import { documentInvalid, documentTooLarge } from './document-errors.ts'

/** An element of an XML file. Namespace prefixes of names are dropped, those of attributes kept. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly (XmlElement | string)[]
}

const maxDepth = 200
const maxNodes = 2_000_000

/**
 * Parses an XML file, or with `isXhtml` a chapter of a book, whose entities may be those of HTML.
 * Entities that the file itself declares are refused. Throws DOCUMENT_INVALID, DOCUMENT_TOO_LARGE.
 */
export function parseXml(bytes: Uint8Array, path: string, { isXhtml = false } = {}): XmlElement {
  const root: MutableElement = { name: '', attributes: {}, children: [] }
  const open: MutableElement[] = [root]
  let nodes = 0
  const append = (child: MutableElement | string): void => {
    nodes += 1
    if (nodes > maxNodes) throw documentTooLarge(`${path} has more than ${maxNodes.toLocaleString('en')} elements`)
    open.at(-1)?.children.push(child)
  }
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (open.length > maxDepth) throw documentInvalid(`${path} is nested deeper than ${maxDepth} levels`)
        const element = { name: localName(name), attributes, children: [] }
        append(element)
        open.push(element)
      },
      onclosetag: () => void open.pop(),
      ontext: append,
      onprocessinginstruction: (_name, data) => {
        if (/<!entity|^!entity/i.test(data)) throw documentInvalid(`${path} declares entities, which are not expanded`)
      },
    },
    { xmlMode: !isXhtml, recognizeSelfClosing: true, recognizeCDATA: true, decodeEntities: true },
  )
  parser.write(new TextDecoder(textCharset(bytes, undefined)).decode(bytes))
  parser.end()
  const element = root.children.find((child) => typeof child !== 'string')
  if (element === undefined || typeof element === 'string') throw documentInvalid(`${path} is not XML`)
  return element
}

interface MutableElement extends XmlElement {
  readonly children: (MutableElement | string)[]
}

/** Returns the elements directly inside, of these names if any are given. */
export function childElements(element: XmlElement | undefined, ...names: readonly string[]): readonly XmlElement[] {
  return (element?.children ?? []).filter(
    (child): child is XmlElement => typeof child !== 'string' && (names.length === 0 || names.includes(child.name)),
  )
}

/** Follows a path of names, and returns the first element at its end. */
export function findChild(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let found = element
  for (const name of path) found = childElements(found, name)[0]
  return found
}

/** Returns all elements inside of these names, in document order. Does not look into them. */
export function descendants(element: XmlElement | undefined, ...names: readonly string[]): readonly XmlElement[] {
  return childElements(element).flatMap((child) =>
    names.includes(child.name) ? [child] : descendants(child, ...names),
  )
}

/** Concatenates all text inside. */
export function textInside(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((child) => (typeof child === 'string' ? child : textInside(child))).join('')
}

/** Returns an attribute by its name without prefix. */
export function attributeOf(element: XmlElement | undefined, name: string): string | undefined {
  if (element === undefined) return undefined
  if (Object.hasOwn(element.attributes, name)) return element.attributes[name]
  return Object.entries(element.attributes).find(([key]) => key.endsWith(`:${name}`))?.[1]
}

/** Returns the id of a relationship, such as `r:id`, and not the `id` of the element itself. */
export function relationId(element: XmlElement | undefined): string | undefined {
  return Object.entries(element?.attributes ?? {}).find(([key]) => key.endsWith(':id'))?.[1]
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
