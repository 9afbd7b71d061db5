import { Text, type ChildNode, type Document, type Element, type ParentNode } from 'domhandler'
import { isElement, textOf, visitElements } from './dom-nodes.ts'
import { createElement, replaceNodes, setChildren } from './edit-tree.ts'

/**
 * Shows all tabs of a set whose panels contain code, such as one command per package manager. Each
 * panel starts with the label of its tab, and the row of labels is removed. Other tabs are left as
 * they are.
 */
export function revealCodeTabs(document: Document): void {
  const withCode = findParentsOfCode(document)
  if (withCode.size === 0) return
  const replacements = new Map<ChildNode, readonly ChildNode[]>()
  visitElements(document, (element) => {
    if (!withCode.has(element)) return
    const tabs = findTabs(element)
    if (tabs === undefined || !tabs.panels.some((panel) => withCode.has(panel))) return
    for (const [index, panel] of tabs.panels.entries()) show(panel, textOf(tabs.labels[index] ?? panel).trim())
    for (const control of tabs.controls) replacements.set(control, [])
  })
  if (replacements.size > 0) replaceNodes(document, replacements)
}

interface TabSet {
  readonly labels: readonly Element[]
  readonly panels: readonly Element[]
  /** Elements that only serve to choose a tab. */
  readonly controls: readonly Element[]
}

function findTabs(element: Element): TabSet | undefined {
  const children = element.children.filter(isElement)
  return findLabelledPanels(children) ?? findListedPanels(children)
}

/** Returns all elements with a code block in them, and the blocks themselves. */
function findParentsOfCode(document: Document): ReadonlySet<ParentNode> {
  const found = new Set<ParentNode>()
  visitElements(document, (element) => {
    if (element.name !== 'pre') return
    for (let up: ParentNode | null = element; up !== null && !found.has(up); up = up.parent) found.add(up)
  })
  return found
}

/** Finds pairs of a label and a panel side by side, as sphinx-design writes them. */
function findLabelledPanels(children: readonly Element[]): TabSet | undefined {
  const labels = children.filter(({ name, attribs }) => name === 'label' && hasClass(attribs, /\bsd-tab-label\b/))
  if (labels.length === 0) return undefined
  const panels = children.filter(({ attribs }) => hasClass(attribs, /\bsd-tab-content\b/))
  return accept({ labels, panels, controls: [...labels, ...children.filter(({ name }) => name === 'input')] })
}

/** Finds a list of labels beside its panels, or beside the element around them. */
function findListedPanels(children: readonly Element[]): TabSet | undefined {
  const list = children.find(({ attribs }) => attribs['role'] === 'tablist' || hasClass(attribs, listClass))
  if (list === undefined) return undefined
  const labels = findLabels(list)
  const beside = children.filter((child) => child !== list && child.name !== 'input')
  const inside = beside.length === 1 ? (beside[0]?.children ?? []).filter(isElement) : []
  const panels = [beside, inside].find((each) => each.length === labels.length) ?? []
  return accept({ labels, panels, controls: [list, ...children.filter(({ name }) => name === 'input')] })
}

const listClass = /(?:^|\s)(?:tabbed-labels|tabs|tab-labels|nav-tabs|tabs__list)(?:\s|$)/

function findLabels(list: Element): readonly Element[] {
  const labels: Element[] = []
  visitElements(list, (element) => {
    const isLabel = element.name === 'label' || element.attribs['role'] === 'tab'
    if (isLabel) labels.push(element)
    return !isLabel
  })
  return labels
}

function accept(tabs: TabSet): TabSet | undefined {
  return tabs.labels.length > 0 && tabs.panels.length === tabs.labels.length ? tabs : undefined
}

function hasClass(attributes: Readonly<Record<string, string>>, names: RegExp): boolean {
  return names.test(attributes['class'] ?? '')
}

function show(panel: Element, label: string): void {
  delete panel.attribs['hidden']
  if (/display\s*:\s*none/i.test(panel.attribs['style'] ?? '')) delete panel.attribs['style']
  if (label === '' || panel.name === 'pre') return
  const title = createElement('p', {}, [createElement('strong', {}, [new Text(label)])])
  setChildren(panel, [title, ...panel.children])
}
