import { Element, type AnyNode, type ChildNode, type ParentNode } from 'domhandler'

/** Creates an element with children, and sets their parent and sibling links. */
export function createElement(
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly ChildNode[],
): Element {
  const element = new Element(name, { ...attributes })
  setChildren(element, children)
  return element
}

/** Removes a node from its parent. */
export function removeNode(node: ChildNode): void {
  const { parent } = node
  if (parent !== null)
    setChildren(
      parent,
      parent.children.filter((child) => child !== node),
    )
  node.parent = null
}

/** Replaces an element with its children. */
export function unwrap(element: Element): void {
  const { parent } = element
  if (parent === null) return
  setChildren(
    parent,
    parent.children.flatMap((child) => (child === element ? element.children : [child])),
  )
  element.children = []
  element.parent = null
}

/** Sets the children of a parent, and their parent and sibling links. */
export function setChildren(parent: ParentNode, children: readonly ChildNode[]): void {
  parent.children = [...children]
  for (const [index, child] of parent.children.entries()) {
    child.parent = parent
    child.prev = parent.children[index - 1] ?? null
    child.next = parent.children[index + 1] ?? null
  }
}

/** Replaces nodes of a tree, in one pass. A node with an empty list is removed. */
export function replaceNodes(parent: ParentNode, replacements: ReadonlyMap<ChildNode, readonly ChildNode[]>): void {
  if (parent.children.some((child) => replacements.has(child)))
    setChildren(
      parent,
      parent.children.flatMap((child) => replacements.get(child) ?? [child]),
    )
  for (const child of parent.children) if ('children' in child) replaceNodes(child, replacements)
}

/** Removes all nodes for which `isKept` returns false, with their descendants, in one pass. */
export function filterTree(parent: ParentNode, isKept: (node: AnyNode) => boolean): void {
  const kept = parent.children.filter(isKept)
  if (kept.length !== parent.children.length) setChildren(parent, kept)
  for (const child of kept) if ('children' in child) filterTree(child, isKept)
}
