import type { Document, Element, ParentNode } from 'domhandler'
import { revealCodeTabs } from './code-tabs.ts'
import { isElement, isText, textOf, visitElements } from './dom-nodes.ts'
import { filterTree, unwrap } from './edit-tree.ts'
import { restoreLazyImages } from './lazy-images.ts'
import { normalizeMath } from './math-markup.ts'

/**
 * Which hidden elements to remove: all, or only those too short to be an inactive tab or a
 * collapsed section.
 */
export type HiddenRule = 'all' | 'short'

/**
 * Prepares a tree for cleaning: inlines shadow trees, unwraps `<noscript>` if it has much of the
 * page's text, restores what scripts hide or draw later (formulas, images, tabs with code), and
 * removes hidden elements.
 */
export function normalizeTree(document: Document, hidden: HiddenRule): void {
  const shadowRoots: Element[] = []
  visitElements(document, (element) => {
    if (element.name === 'template' && element.attribs['shadowrootmode'] !== undefined) shadowRoots.push(element)
  })
  for (const shadowRoot of shadowRoots) unwrap(shadowRoot)
  if (hasNoscript(document)) {
    unwrapNoscript(document)
    restoreLazyImages(document)
  }
  normalizeMath(document)
  revealCodeTabs(document)
  filterTree(
    document,
    (node) => !isElement(node) || !isHidden(node) || (hidden === 'short' && countWords(node) >= minFoldedWords),
  )
}

// An inactive tab or a collapsed section has a few sentences, a tooltip or a label fewer words.
const minFoldedWords = 25

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

function hasNoscript(document: Document): boolean {
  let isFound = false
  visitElements(document, (element) => {
    isFound ||= element.name === 'noscript'
    return !isFound
  })
  return isFound
}

/** Unwraps `<noscript>` if it contains over a quarter of the page's words, and over 100. */
function unwrapNoscript(document: Document): void {
  const found: Element[] = []
  const inside = countText(document, false, found)
  if (inside > 100 && inside > 0.25 * countText(document, true, [])) for (const element of found) unwrap(element)
}

/** Elements whose text is not part of the page. */
const unreadNames = new Set(['script', 'style', 'template', 'head'])

/** Counts words: all, or those inside of `<noscript>`. Collects these elements in `found`. */
function countText(parent: ParentNode, isCounted: boolean, found: Element[]): number {
  let words = 0
  for (const child of parent.children) {
    if (isText(child)) words += isCounted ? (child.data.match(/\S+/g)?.length ?? 0) : 0
    else if (isElement(child) && !unreadNames.has(child.name)) {
      if (child.name === 'noscript') found.push(child)
      words += countText(child, isCounted || child.name === 'noscript', found)
    }
  }
  return words
}
