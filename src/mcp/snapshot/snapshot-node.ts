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

/** Maximum number of elements and texts of a tree. */
export const maxTreeNodes = 20_000

/** Maximum length of a name or a text in a tree, in characters. */
const maxTextLength = 100_000

/** Maximum length of all names and texts of a tree in total. */
const maxTreeLength = 2_000_000

/** Length of the names and texts that do not fit into the total. */
const shortLength = 80

/** The elements of a page. */
export interface SnapshotTree {
  readonly root: SnapshotNode
  /** Whether the page has more than `maxTreeNodes` elements and texts. The last are missing. */
  readonly isTruncated: boolean
}

/**
 * Converts the result of Playwright's `page.ariaSnapshotJSON({ mode: 'ai', boxes: true })`. The
 * size of the tree is limited, because it is kept to be compared with later ones.
 */
export function toSnapshotTree(json: unknown): SnapshotTree {
  const root: MutableNode = { ...emptyNode, role: 'document', children: [] }
  const room: TreeRoom = { nodes: maxTreeNodes, length: maxTreeLength, isExceeded: false }
  root.children = toChildren(json, root, { offset: { x: 0, y: 0 }, room })
  return { root, isTruncated: room.isExceeded }
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

/** Nodes and characters that a tree can still take. */
interface TreeRoom {
  nodes: number
  length: number
  isExceeded: boolean
}

interface ConversionState {
  readonly offset: Offset
  readonly room: TreeRoom
}

function toChildren(json: unknown, parent: SnapshotNode, state: ConversionState): readonly SnapshotNode[] {
  if (!Array.isArray(json)) return []
  const { room } = state
  const children: SnapshotNode[] = []
  for (const child of json as readonly unknown[]) {
    if (room.nodes === 0) {
      room.isExceeded = true
      break
    }
    room.nodes -= 1
    children.push(
      typeof child === 'string'
        ? { ...emptyNode, role: 'text', text: textOf(child, room), box: parent.box, parent, children: [] }
        : toNode(child as Record<string, unknown>, parent, state),
    )
  }
  return children
}

function toNode(json: Record<string, unknown>, parent: SnapshotNode, { offset, room }: ConversionState): SnapshotNode {
  const role = textOf(json['role'], room)
  const box = toBox(json['box'], offset)
  const node: MutableNode = {
    role,
    name: textOf(json['name'], room),
    text: textOf(json['text'], room),
    ref: textOf(json['ref'], room),
    states: stateNames.flatMap((name) => stateOf(name, json[name])),
    url: textOf(json['url'], room),
    placeholder: textOf(json['placeholder'], room),
    isInteractive: interactiveRoles.has(role) || json['cursor'] === 'pointer',
    box,
    parent,
    children: [],
  }
  // Boxes inside a frame are relative to the frame.
  const inside = role === 'iframe' && box !== undefined ? box : offset
  node.children = toChildren(json['children'], node, { offset: inside, room })
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

/** Returns a text, or its start if it is too long. */
function textOf(value: unknown, room: TreeRoom): string {
  if (typeof value !== 'string') return ''
  const length = Math.min(maxTextLength, Math.max(room.length, shortLength))
  room.length -= Math.min(value.length, length)
  if (value.length <= length) return value
  // A slice would keep the whole text in memory, and a copy does not.
  return `${Buffer.from(value.slice(0, length)).toString()}… (${value.length - length} more characters)`
}
