import { selectAll } from 'css-select'
import type { AnyNode, Document, Element } from 'domhandler'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { isElement, visitElements } from './dom-nodes.ts'
import { removeNode, setChildren } from './edit-tree.ts'

/**
 * Finds elements by a CSS selector, or by `*part*`, a substring of their name, id or class.
 * Throws BAD_REQUEST for an invalid selector.
 */
export function findElements(document: Document, selector: string): readonly Element[] {
  const part = /^\*(.+)\*$/.exec(selector.trim())?.[1]?.toLowerCase()
  if (part !== undefined) {
    const found: Element[] = []
    visitElements(document, (element) => {
      const { name, attribs } = element
      if (`${name} ${attribs['id'] ?? ''} ${attribs['class'] ?? ''}`.toLowerCase().includes(part)) found.push(element)
    })
    return found
  }
  try {
    return selectAll<AnyNode, Element>(selector, document).filter((node) => isElement(node))
  } catch (cause) {
    const reason = messageOf(cause).replace(/found\s*$/, 'found the end')
    throw new BowlineError('BAD_REQUEST', `\`${selector}\` is not a CSS selector: ${reason}`, {
      hint: 'Use a selector such as `article`, `.post > p` or `#main`, or `*part*` for a substring of a name, id or class.',
      cause,
    })
  }
}

/**
 * Keeps only elements of the body that match a selector, in document order. Returns false if none
 * does.
 */
export function keepMatching(document: Document, selectors: readonly string[]): boolean {
  const wanted = new Set(selectors.flatMap((selector) => findElements(document, selector)))
  const outermost: Element[] = []
  visitElements(document, (element) => {
    if (!wanted.has(element)) return true
    outermost.push(element)
    return false
  })
  let body: Element | undefined
  let base: Element | undefined
  visitElements(document, (element) => {
    if (element.name === 'body') body ??= element
    if (element.name === 'base') base ??= element
  })
  const kept = outermost.filter((element) => element !== body)
  if (body !== undefined && wanted.has(body)) return true
  setChildren(body ?? document, body === undefined && base !== undefined ? [base, ...kept] : kept)
  return wanted.size > 0
}

/** Removes all elements that match a selector. */
export function removeMatching(document: Document, selectors: readonly string[]): void {
  for (const selector of selectors) for (const element of findElements(document, selector)) removeNode(element)
}
