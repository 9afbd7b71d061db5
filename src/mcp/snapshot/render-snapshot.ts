import type { ChosenNodes } from './choose-nodes.ts'
import { isTransparent } from './snapshot-line.ts'
import { closestRef, walk, type SnapshotNode } from './snapshot-node.ts'

/** Hidden nodes below an element from which they are announced there instead of further up. */
const announcedFrom = 8

/**
 * Renders the chosen nodes as an indented list. Elements with hidden parts end with a line such as
 * `… 57 more in e12`. Hidden parts without one are announced further up.
 */
export function renderSnapshot(root: SnapshotNode, chosen: ChosenNodes, { hasCounts = true } = {}): string {
  const lines: string[] = []
  const visit = (node: SnapshotNode, depth: number): number => {
    const line = chosen.get(node)
    if (line === undefined && !isTransparent(node) && node !== root) return countHidden(node)
    const isShown = line !== undefined
    const index = lines.length
    if (isShown) lines.push(line)
    const inner = isShown ? depth + 1 : depth
    let hidden = 0
    for (const child of node.children) hidden += visit(child, inner)
    const hasLines = lines.length > index + (isShown ? 1 : 0)
    if (isShown) lines[index] = `${'  '.repeat(depth)}- ${line}${hasLines ? ':' : ''}`
    if (hidden === 0 || !hasCounts) return 0
    const isAnnounced = node === root || (hidden >= announcedFrom && node.ref !== '')
    if (!isAnnounced) return hidden
    const ref = closestRef(node)
    lines.push(`${'  '.repeat(inner)}- … ${hidden} more${ref === '' ? '' : ` in ${ref}`}`)
    return 0
  }
  visit(root, 0)
  return lines.join('\n')
}

function countHidden(node: SnapshotNode): number {
  let count = 0
  for (const each of walk(node)) if (!isTransparent(each)) count += 1
  return count
}
