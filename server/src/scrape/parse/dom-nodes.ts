import { ElementType } from 'domelementtype'
import type { AnyNode, Element, ParentNode, Text } from 'domhandler'
import { inlineNames } from './html-rules.ts'

/** Whether a node is an element. */
export function isElement(node: AnyNode): node is Element {
  return node.type === ElementType.Tag || node.type === ElementType.Script || node.type === ElementType.Style
}

/** Whether a node is text. */
export function isText(node: AnyNode): node is Text {
  return node.type === ElementType.Text
}

/** Elements whose content is never visible as text. */
export const invisibleNames: ReadonlySet<string> = new Set(
  'script style noscript template svg head title iframe object select textarea datalist canvas'.split(' '),
)

const inlineOrMedia = new Set([...inlineNames, 'br', 'wbr', 'img', 'picture', 'input', 'audio', 'video'])

/**
 * Creates a memoized test for whether an element is a block, by its name or because it contains
 * one.
 */
export function createBlockTest(): (element: Element) => boolean {
  const known = new Map<Element, boolean>()
  const isBlock = (element: Element): boolean => {
    if (element.name === 'math') return false
    if (!inlineOrMedia.has(element.name)) return true
    const memoized = known.get(element)
    if (memoized !== undefined) return memoized
    const found = element.children.some(
      (child) => isElement(child) && !invisibleNames.has(child.name) && isBlock(child),
    )
    known.set(element, found)
    return found
  }
  return isBlock
}

/** Concatenates all text inside, as in the source. */
export function textOf(parent: ParentNode): string {
  let text = ''
  for (const child of parent.children) {
    if (isText(child)) text += child.data
    else if (isElement(child)) text += textOf(child)
  }
  return text
}

/**
 * Visits every element inside, in document order. A visitor that returns false skips the children
 * of its element. If a visitor replaces the children of a parent, the previous ones are visited.
 */
export function visitElements(parent: ParentNode, visit: (element: Element) => boolean | void): void {
  for (const child of parent.children) {
    if (isElement(child) && visit(child) !== false) visitElements(child, visit)
  }
}
