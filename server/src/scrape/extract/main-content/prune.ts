import type { AnyNode, ChildNode, Document, Element, ParentNode } from 'domhandler'
import { isElement, isText } from '../../parse/dom-nodes.ts'
import { keepOnly } from '../../parse/edit-tree.ts'
import type { MainContent } from './select.ts'

interface Tally {
  kept: number
  all: number
}

const media = new Set(['img', 'picture', 'video', 'audio', 'figure', 'math'])

/** Removes from a tree all texts that are not kept, and what is empty then. Pictures stay where most text around them stays. */
export function pruneTree(document: Document, content: MainContent): void {
  const tallies = new Map<ParentNode, Tally>()
  const fates = new Map<AnyNode, boolean>()
  for (const [index, leaf] of content.layout.leaves.entries()) {
    const isKept = content.isKept[index] === true
    for (const node of leaf.nodes) fates.set(node, isKept)
    const words = content.layout.facts[index]?.words ?? 0
    for (let up: ParentNode | null = leaf.parent; up !== null; up = up.parent) {
      const tally = tallies.get(up) ?? { kept: 0, all: 0 }
      tallies.set(up, tally)
      tally.all += words
      if (isKept) tally.kept += words
    }
  }
  const needed = new Set<AnyNode>()
  mark(document, { fates, tallies, needed, isAmongKept: false })
  keepOnly(document, (node) => needed.has(node))
}

interface Marking {
  readonly fates: ReadonlyMap<AnyNode, boolean>
  readonly tallies: ReadonlyMap<ParentNode, Tally>
  readonly needed: Set<AnyNode>
  readonly isAmongKept: boolean
}

/** Marks what stays. Answers whether anything in `parent` does. */
function mark(parent: ParentNode, marking: Marking): boolean {
  const tally = marking.tallies.get(parent)
  const isAmongKept = tally === undefined ? marking.isAmongKept : tally.kept * 2 >= tally.all && tally.kept > 0
  let isNeeded = false
  for (const child of parent.children) {
    if (!keeps(child, { ...marking, isAmongKept })) continue
    marking.needed.add(child)
    isNeeded = true
  }
  // A cell holds its column's place in a row of which something stays.
  if (isNeeded)
    for (const child of parent.children) if (isElement(child) && /^t[dh]$/.test(child.name)) marking.needed.add(child)
  return isNeeded
}

function keeps(node: ChildNode, marking: Marking): boolean {
  const fate = marking.fates.get(node)
  if (fate !== undefined) {
    if (fate) keepAll(node, marking.needed)
    else if (isElement(node) && marking.isAmongKept && holdsPicture(node))
      return mark(node, { ...marking, fates: new Map() })
    return fate
  }
  if (isText(node)) return marking.isAmongKept && node.data.trim() === ''
  if (!isElement(node)) return false
  if (node.name === 'base' || node.name === 'html' || node.name === 'head' || node.name === 'body') {
    mark(node, marking)
    return true
  }
  if (marking.tallies.has(node)) return mark(node, marking)
  if (!marking.isAmongKept) return false
  if (media.has(node.name) || node.name === 'hr' || node.name === 'br' || node.name === 'input') {
    keepAll(node, marking.needed)
    return true
  }
  return mark(node, marking)
}

function holdsPicture(element: Element): boolean {
  return element.children.some((child) => isElement(child) && (child.name === 'img' || holdsPicture(child)))
}

function keepAll(node: AnyNode, needed: Set<AnyNode>): void {
  needed.add(node)
  if ('children' in node) for (const child of node.children) keepAll(child, needed)
}
