import type { Document, Element, ParentNode } from 'domhandler'
import { isElement, isText, textOf, visitElements } from './dom-nodes.ts'
import { filterTree, unwrap } from './edit-tree.ts'

/** What hidden elements are dropped: all, or those too short to be a closed tab or a folded answer. */
export type HiddenRule = 'all' | 'short'

// A closed tab or a folded answer has a few sentences; a hint, a toast or a label has fewer words.
const minFoldedWords = 25

/** Makes a tree ready to be read: fallbacks for browsers without scripts unwrapped where they are the page, hidden parts dropped. */
export function normalizeTree(document: Document, hidden: HiddenRule): void {
  const shadowRoots: Element[] = []
  visitElements(document, (element) => {
    if (element.name === 'template' && element.attribs['shadowrootmode'] !== undefined) shadowRoots.push(element)
  })
  for (const shadowRoot of shadowRoots) unwrap(shadowRoot)
  unwrapNoscript(document)
  filterTree(
    document,
    (node) => !isElement(node) || !isHidden(node) || (hidden === 'short' && countWords(node) >= minFoldedWords),
  )
}

function isHidden(element: Element): boolean {
  const { attribs } = element
  return (
    (attribs['hidden'] !== undefined && attribs['hidden'] !== 'until-found') ||
    /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attribs['style'] ?? '')
  )
}

function countWords(element: Element): number {
  return textOf(element).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0
}

/** Unwraps `<noscript>` when it holds much of the page's text, or the image that a lazy one stands for. */
function unwrapNoscript(document: Document): void {
  let isThere = false
  visitElements(document, (element) => {
    isThere ||= element.name === 'noscript'
    return !isThere
  })
  if (!isThere) return
  const found: Element[] = []
  const inside = countText(document, false, found)
  const all = inside.outside + inside.inside
  if (inside.inside > 100 && inside.inside > 0.25 * all) for (const element of found) unwrap(element)
}

function countText(parent: ParentNode, isInside: boolean, found: Element[]): { inside: number; outside: number } {
  const counts = { inside: 0, outside: 0 }
  for (const child of parent.children) {
    if (isText(child)) counts[isInside ? 'inside' : 'outside'] += child.data.match(/\S+/g)?.length ?? 0
    else if (isElement(child) && !/^(?:script|style|template|head)$/.test(child.name)) {
      if (child.name === 'noscript') found.push(child)
      const inner = countText(child, isInside || child.name === 'noscript', found)
      counts.inside += inner.inside
      counts.outside += inner.outside
    }
  }
  return counts
}
