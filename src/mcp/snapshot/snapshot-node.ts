/** Position of an element in CSS pixels, relative to the viewport of the page. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** An element or a text of the accessibility tree of a page. */
export interface SnapshotNode {
  /** ARIA role, or `text`. */
  readonly role: string
  readonly name: string
  /** Text of an element without other children, or the value of a field. */
  readonly text: string
  /** Reference that Playwright's `aria-ref` locators accept. Empty for text and hidden elements. */
  readonly ref: string
  /** States such as `checked` and `level=2`. */
  readonly states: readonly string[]
  readonly url: string
  readonly placeholder: string
  /** Whether a click on the element is likely to do something. */
  readonly isInteractive: boolean
  readonly box: Box | undefined
  readonly parent: SnapshotNode | undefined
  readonly children: readonly SnapshotNode[]
}

/** Roles of elements that accept input. */
const interactiveRoles: ReadonlySet<string> = new Set([
  'button',
  'checkbox',
  'combobox',
  'link',
  'listbox',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'radio',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
  'tab',
  'textbox',
  'treeitem',
])

const stateNames = ['active', 'checked', 'disabled', 'expanded', 'invalid', 'level', 'pressed', 'selected'] as const

/** Converts the result of Playwright's `page.ariaSnapshotJSON({ mode: 'ai', boxes: true })`. */
export function toSnapshotTree(json: unknown): SnapshotNode {
  const root: MutableNode = { ...emptyNode, role: 'document', children: [] }
  root.children = toChildren(json, root, { x: 0, y: 0 })
  return root
}

/** Returns a node and everything below it, in document order. */
export function* walk(node: SnapshotNode): Generator<SnapshotNode> {
  yield node
  for (const child of node.children) yield* walk(child)
}

/** Returns the closest ref: of the node, or of one above it, or else of the whole page. */
export function closestRef(node: SnapshotNode): string {
  let top = node
  for (let at: SnapshotNode | undefined = node; at !== undefined; at = at.parent) {
    if (at.ref !== '') return at.ref
    top = at
  }
  return top.children.find(({ ref }) => ref !== '')?.ref ?? ''
}

interface MutableNode extends SnapshotNode {
  children: readonly SnapshotNode[]
}

const emptyNode = {
  name: '',
  text: '',
  ref: '',
  states: [],
  url: '',
  placeholder: '',
  isInteractive: false,
  box: undefined,
  parent: undefined,
}

type Offset = Pick<Box, 'x' | 'y'>

function toChildren(json: unknown, parent: SnapshotNode, offset: Offset): readonly SnapshotNode[] {
  if (!Array.isArray(json)) return []
  return json.map((child: unknown) =>
    typeof child === 'string'
      ? { ...emptyNode, role: 'text', text: child, box: parent.box, parent, children: [] }
      : toNode(child as Record<string, unknown>, parent, offset),
  )
}

function toNode(json: Record<string, unknown>, parent: SnapshotNode, offset: Offset): SnapshotNode {
  const role = stringOf(json['role'])
  const box = toBox(json['box'], offset)
  const node: MutableNode = {
    role,
    name: stringOf(json['name']),
    text: stringOf(json['text']),
    ref: stringOf(json['ref']),
    states: stateNames.flatMap((name) => stateOf(name, json[name])),
    url: stringOf(json['url']),
    placeholder: stringOf(json['placeholder']),
    isInteractive: interactiveRoles.has(role) || json['cursor'] === 'pointer',
    box,
    parent,
    children: [],
  }
  // Boxes inside a frame are relative to the frame.
  node.children = toChildren(json['children'], node, role === 'iframe' && box !== undefined ? box : offset)
  return node
}

function toBox(json: unknown, offset: Offset): Box | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { x, y, width, height } = json as Box
  if (width === 0 && height === 0) return undefined
  return { x: x + offset.x, y: y + offset.y, width, height }
}

function stateOf(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === null || value === false) return []
  return [value === true ? name : `${name}=${JSON.stringify(value)}`]
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
