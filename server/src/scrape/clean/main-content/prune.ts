import type { AnyNode, ChildNode, Document, Element, ParentNode } from 'domhandler'
import { isElement, isText } from '../../parse/dom-nodes.ts'
import { embedOf } from '../../parse/embeds.ts'
import { filterTree } from '../../parse/edit-tree.ts'
import type { MainContent } from './select.ts'

/**
 * Removes all texts that are not main content, and elements that are empty then. Keeps images among
 * kept text.
 */
export function pruneTree(document: Document, content: MainContent): void {
  const decisions = new Map<AnyNode, boolean>()
  for (const [index, leaf] of content.layout.leaves.entries()) {
    const isKept = content.isKept[index] === true
    for (const node of leaf.nodes) decisions.set(node, isKept)
  }
  const counts = countWords(document, content)
  const needed = new Set<AnyNode>()
  mark(document, { decisions, counts, needed, isMostlyKept: false })
  filterTree(document, (node) => needed.has(node))
}

interface WordCount {
  kept: number
  readonly all: number
}

/** Counts the kept words, and all words, in the document and in every element with texts. */
function countWords(document: Document, { layout, isKept }: MainContent): ReadonlyMap<ParentNode, WordCount> {
  const page: WordCount = { kept: 0, all: layout.total.words }
  const counts: readonly WordCount[] = layout.elements.map(({ sums }) => ({ kept: 0, all: sums.words }))
  for (const [index, { words }] of layout.facts.entries()) {
    if (isKept[index] !== true) continue
    page.kept += words
    for (let up = layout.contexts[index]; up !== undefined; up = up.parent) {
      const count = counts[up.index]
      if (count !== undefined) count.kept += words
    }
  }
  return new Map<ParentNode, WordCount>([
    [document, page],
    ...layout.elements.map(({ element }, index) => [element, counts[index] ?? page] as const),
  ])
}

interface Marking {
  readonly decisions: ReadonlyMap<AnyNode, boolean>
  readonly counts: ReadonlyMap<ParentNode, WordCount>
  readonly needed: Set<AnyNode>
  readonly isMostlyKept: boolean
}

/** Marks the nodes to keep. Returns whether any of them is in `parent`. */
function mark(parent: ParentNode, marking: Marking): boolean {
  const count = marking.counts.get(parent)
  // A picture among kept text stays without its caption.
  const isPicture = isElement(parent) && parent.name === 'figure' && count?.kept === 0
  const isMostlyKept =
    count === undefined || isPicture ? marking.isMostlyKept : count.kept * 2 >= count.all && count.kept > 0
  const inside = isMostlyKept === marking.isMostlyKept ? marking : { ...marking, isMostlyKept }
  let isNeeded = false
  for (const child of parent.children) {
    if (!markNode(child, inside)) continue
    marking.needed.add(child)
    isNeeded = true
  }
  // Keep empty cells of a kept row, so that columns stay aligned.
  if (isNeeded)
    for (const child of parent.children) if (isElement(child) && /^t[dh]$/.test(child.name)) marking.needed.add(child)
  return isNeeded
}

const media = new Set(['img', 'picture', 'video', 'audio', 'figure', 'math'])

function markNode(node: ChildNode, marking: Marking): boolean {
  const decision = marking.decisions.get(node)
  if (decision !== undefined) {
    if (decision) markAll(node, marking.needed)
    else if (isElement(node) && marking.isMostlyKept && containsImage(node))
      return mark(node, { ...marking, decisions: new Map() })
    return decision
  }
  if (isText(node)) return marking.isMostlyKept && node.data.trim() === ''
  if (!isElement(node)) return false
  if (node.name === 'base' || node.name === 'html' || node.name === 'head' || node.name === 'body') {
    mark(node, marking)
    return true
  }
  if (marking.counts.has(node)) return mark(node, marking)
  if (!marking.isMostlyKept) return false
  if (
    media.has(node.name) ||
    embedOf(node) !== undefined ||
    node.name === 'hr' ||
    node.name === 'br' ||
    node.name === 'input'
  ) {
    markAll(node, marking.needed)
    return true
  }
  return mark(node, marking)
}

function containsImage(element: Element): boolean {
  return element.children.some((child) => isElement(child) && (child.name === 'img' || containsImage(child)))
}

function markAll(node: AnyNode, needed: Set<AnyNode>): void {
  needed.add(node)
  if ('children' in node) for (const child of node.children) markAll(child, needed)
}
