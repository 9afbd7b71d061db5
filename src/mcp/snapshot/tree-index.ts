import { walk, type SnapshotNode } from './snapshot-node.ts'

/** A snapshot tree with lookups by ref. */
export class TreeIndex {
  readonly root: SnapshotNode
  readonly #byRef = new Map<string, SnapshotNode>()
  readonly #bySpot = new Map<string, SnapshotNode>()

  constructor(root: SnapshotNode) {
    this.root = root
    for (const node of walk(root)) {
      if (node.ref === '') continue
      this.#byRef.set(node.ref, node)
      this.#bySpot.set(spotOf(node), node)
    }
  }

  /** Returns the element with a ref. */
  find(ref: string): SnapshotNode | undefined {
    return this.#byRef.get(ref)
  }

  /**
   * Returns the element that has taken the place of one of an earlier tree: it has the same role
   * and position in the same parent. Playwright gives an element a new ref when its name changes.
   */
  findReplacement(earlier: SnapshotNode, before: TreeIndex): SnapshotNode | undefined {
    const found = this.#bySpot.get(spotOf(earlier))
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

/** Returns the place of an element: its parent, role, position among equals and their number. */
function spotOf({ parent, role, ref }: SnapshotNode): string {
  const equals = (parent?.children ?? []).filter((each) => each.role === role)
  return [parent?.ref ?? '', role, equals.findIndex((each) => each.ref === ref), equals.length].join('/')
}
