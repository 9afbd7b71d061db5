import { walk, type SnapshotNode } from './snapshot-node.ts'

/** An element as it was shown. It does not reference its tree, which would stay in memory. */
export interface ShownElement {
  readonly role: string
  readonly spot: string
}

/** A snapshot tree with lookups by ref. */
export class TreeIndex {
  readonly root: SnapshotNode
  readonly #byRef = new Map<string, SnapshotNode>()
  readonly #bySpot = new Map<string, SnapshotNode>()
  readonly #spots = new Map<string, string>()

  constructor(root: SnapshotNode) {
    this.root = root
    for (const parent of walk(root)) {
      for (const [node, spot] of spotsBelow(parent)) {
        this.#byRef.set(node.ref, node)
        this.#bySpot.set(spot, node)
        this.#spots.set(node.ref, spot)
      }
    }
  }

  /** Returns the element with a ref. */
  find(ref: string): SnapshotNode | undefined {
    return this.#byRef.get(ref)
  }

  /** Describes an element of this tree for `findReplacement`. */
  describe({ role, ref }: SnapshotNode): ShownElement {
    return { role, spot: this.#spots.get(ref) ?? '' }
  }

  /**
   * Returns the element that has taken the place of one of an earlier tree: it has the same role
   * and position in the same parent. Playwright gives an element a new ref when its name changes.
   */
  findReplacement({ spot }: ShownElement, before: TreeIndex): SnapshotNode | undefined {
    const found = this.#bySpot.get(spot)
    return found !== undefined && before.find(found.ref) === undefined ? found : undefined
  }

  /** Returns the elements that are new or differ from those of an earlier tree. */
  *changesSince(before: TreeIndex): Generator<SnapshotNode> {
    for (const node of this.#byRef.values()) {
      const earlier = before.find(node.ref)
      if (earlier === undefined || signatureOf(earlier) !== signatureOf(node)) yield node
    }
  }

  /** Returns the refs of an earlier tree that no element has any more. */
  *removedSince(before: TreeIndex): Generator<SnapshotNode> {
    for (const earlier of before.#byRef.values()) if (!this.#byRef.has(earlier.ref)) yield earlier
  }
}

/** Returns an element and the parts of it that have no refs. */
export function withoutRefs(node: SnapshotNode): readonly SnapshotNode[] {
  return [node, ...node.children.filter(({ ref }) => ref === '').flatMap(withoutRefs)]
}

function signatureOf(node: SnapshotNode): string {
  return withoutRefs(node)
    .map(({ role, name, text, states, placeholder }) =>
      // The page is active unless one of its elements is.
      [role, name, text, placeholder, ...(role === 'generic' ? [] : states)].join('\u0000'),
    )
    .join('\u0001')
}

/** Returns the children with a ref and their places: parent, role, position, number of equals. */
function spotsBelow(parent: SnapshotNode): readonly (readonly [SnapshotNode, string])[] {
  const counts = new Map<string, number>()
  const placed = parent.children.map((node) => {
    const position = counts.get(node.role) ?? 0
    counts.set(node.role, position + 1)
    return { node, position }
  })
  return placed
    .filter(({ node }) => node.ref !== '')
    .map(({ node, position }) => [node, [parent.ref, node.role, position, counts.get(node.role)].join('/')])
}
