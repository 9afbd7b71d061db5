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

/** Elements whose content a reader never sees as text. */
export const invisibleNames: ReadonlySet<string> = new Set(
  'script style noscript template svg head title iframe object select textarea datalist canvas'.split(' '),
)

const flowing = new Set([...inlineNames, 'br', 'wbr', 'img', 'picture', 'input', 'audio', 'video'])

/** Makes a test for whether an element starts on a line of its own, by its name or by what it holds. Answers are remembered. */
export function createBlockTest(): (element: Element) => boolean {
  const known = new Map<Element, boolean>()
  const isBlock = (element: Element): boolean => {
    if (element.name === 'math') return false
    if (!flowing.has(element.name)) return true
    const answer = known.get(element)
    if (answer !== undefined) return answer
    const found = element.children.some(
      (child) => isElement(child) && !invisibleNames.has(child.name) && isBlock(child),
    )
    known.set(element, found)
    return found
  }
  return isBlock
}

/** All text inside, as it stands in the source. */
export function textOf(parent: ParentNode): string {
  let text = ''
  for (const child of parent.children) {
    if (isText(child)) text += child.data
    else if (isElement(child)) text += textOf(child)
  }
  return text
}

/**
 * Visits every element inside in document order; a visitor that returns false keeps out of that element.
 * Visitors may give a parent other children: the ones it had are visited.
 */
export function visitElements(parent: ParentNode, visit: (element: Element) => boolean | void): void {
  for (const child of parent.children) {
    if (isElement(child) && visit(child) !== false) visitElements(child, visit)
  }
}
