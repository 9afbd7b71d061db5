import type { Box, SnapshotNode } from './snapshot-node.ts'

/** Facts by which the nodes of a snapshot are ranked. */
export interface RelevanceOptions {
  readonly viewport: { readonly width: number; readonly height: number }
  /** Words to look for, in lower case. */
  readonly words: readonly string[]
  /** Nodes to prefer over all others. */
  readonly preferred?: ReadonlySet<SnapshotNode> | undefined
}

/** Returns how relevant a node is to someone who looks at the page. Higher is more relevant. */
export function relevanceOf(node: SnapshotNode, options: RelevanceOptions): number {
  const { words, preferred, viewport } = options
  return (
    nearness(node.box, viewport) +
    importance(node) +
    500 * matchCount(node, words) +
    (preferred?.has(node) === true ? 1000 : 0)
  )
}

/** Whether a box is at least partly inside the viewport. */
export function isInViewport(box: Box | undefined, { width, height }: RelevanceOptions['viewport']): boolean {
  if (box === undefined) return false
  return box.x < width && box.x + box.width > 0 && box.y < height && box.y + box.height > 0
}

/** Splits a query into words in lower case. */
export function wordsOfQuery(query: string): readonly string[] {
  return query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** 100 inside the viewport, and less the further away the node is. */
function nearness(box: Box | undefined, viewport: RelevanceOptions['viewport']): number {
  if (box === undefined) return 30
  if (isInViewport(box, viewport)) return 100
  const distance = box.y >= viewport.height ? box.y - viewport.height : Math.abs(box.y + box.height)
  return 50 * Math.exp(-distance / (2 * viewport.height))
}

function importance(node: SnapshotNode): number {
  if (node.states.includes('active') && node.role !== 'generic') return 300
  if (isInside(node, foreground)) return 250
  const own = node.role === 'heading' ? 35 : node.isInteractive ? 30 : (byRole[node.role] ?? 0)
  return isInside(node, background) ? own - 40 : own
}

const byRole: Readonly<Record<string, number>> = { alert: 200, status: 60, text: 15, paragraph: 15, cell: 10, img: -10 }

const foreground: ReadonlySet<string> = new Set(['dialog', 'alertdialog'])
const background: ReadonlySet<string> = new Set(['contentinfo', 'complementary'])

function isInside(node: SnapshotNode, roles: ReadonlySet<string>): boolean {
  for (let at: SnapshotNode | undefined = node; at !== undefined; at = at.parent) if (roles.has(at.role)) return true
  return false
}

function matchCount({ name, text, url, placeholder }: SnapshotNode, words: readonly string[]): number {
  if (words.length === 0) return 0
  const all = `${name} ${text} ${url} ${placeholder}`.toLowerCase()
  return words.filter((word) => all.includes(word)).length / words.length
}
