import type { ChildNode, Element, ParentNode } from 'domhandler'
import { collapseSpace } from '../../parse/collapse-space.ts'
import { isElement, isText, createBlockTest, invisibleNames } from '../../parse/dom-nodes.ts'

/** A run of text without a block boundary: the unit that is kept or removed as a whole. */
export interface Leaf {
  /** Adjacent siblings that make up the run. */
  readonly nodes: readonly ChildNode[]
  readonly parent: Element
  /** Visible text, white space collapsed. */
  readonly text: string
  /** Number of characters inside links. */
  readonly linkLength: number
}

/** Splits a tree into its texts, in document order, each with its parent element. */
export function segment(root: ParentNode): readonly Leaf[] {
  const leaves: Leaf[] = []
  walk(root, leaves, createBlockTest())
  return leaves
}

function walk(parent: ParentNode, leaves: Leaf[], isBlock: (element: Element) => boolean): void {
  let run: ChildNode[] = []
  const flush = (): void => {
    if (run.length > 0 && isElement(parent)) addLeaf(parent, run, leaves)
    run = []
  }
  for (const child of parent.children) {
    if (isText(child)) run.push(child)
    else if (isElement(child) && !invisibleNames.has(child.name)) {
      if (!isBlock(child)) run.push(child)
      // Code is kept whole, regardless of the markup of its lines.
      else if (child.name === 'pre') {
        flush()
        addLeaf(child, child.children, leaves)
      } else {
        flush()
        walk(child, leaves, isBlock)
      }
    }
  }
  flush()
}

interface Collected {
  text: string
  linkLength: number
}

function addLeaf(parent: Element, nodes: readonly ChildNode[], leaves: Leaf[]): void {
  const collected: Collected = { text: '', linkLength: 0 }
  const isLink = insideLink(parent)
  for (const node of nodes) collect(node, isLink, collected)
  const text = collapseSpace(collected.text).trim()
  if (/[a-z0-9]/i.test(text) || /[\p{L}\p{N}]/u.test(text)) {
    leaves.push({ nodes, parent, text, linkLength: Math.min(collected.linkLength, text.length) })
  }
}

function insideLink(element: Element): boolean {
  for (let up: ParentNode | null = element; up !== null; up = up.parent) {
    if (isElement(up) && up.name === 'a') return true
  }
  return false
}

function collect(node: ChildNode, isLink: boolean, into: Collected): void {
  if (isText(node)) {
    into.text += node.data
    if (isLink) into.linkLength += node.data.trim().length
  } else if (isElement(node)) {
    if (invisibleNames.has(node.name)) return
    if (node.name === 'br') into.text += ' '
    for (const child of node.children) collect(child, isLink || node.name === 'a', into)
  }
}
