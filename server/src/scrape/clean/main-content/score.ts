import { readModel } from './model.ts'

interface Forest {
  /** Index of the root of each tree. */
  readonly roots: Int32Array
  /** Feature that a node tests, or -1 for a leaf. */
  readonly features: Int16Array
  /** Threshold of a node, or value of a leaf. */
  readonly thresholds: Float32Array
  /** Child for features at or above the threshold. The other child is the next node. */
  readonly rights: Int32Array
}

const { base, trees } = readModel()
const { roots, features, thresholds, rights } = readForest(trees)

/**
 * Returns the probability of each text that it is main content, by its features. Scores all texts
 * with one tree before the next, so that the tree stays in the processor's cache.
 */
export function scoreRows(rows: readonly Float32Array[]): readonly number[] {
  const logits = new Float64Array(rows.length).fill(base)
  for (const root of roots) {
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index]
      if (row === undefined) continue
      let at = root
      for (let feature = features[at] ?? -1; feature >= 0; feature = features[at] ?? -1) {
        at = (row[feature] ?? 0) < (thresholds[at] ?? 0) ? at + 1 : (rights[at] ?? 0)
      }
      logits[index] = (logits[index] ?? 0) + (thresholds[at] ?? 0)
    }
  }
  return Array.from(logits, (logit) => 1 / (1 + Math.exp(-logit)))
}

/** Parses trees, given as nodes in preorder: `feature<threshold`, or `=value` for a leaf. */
function readForest(sources: readonly string[]): Forest {
  const nodes = sources.flatMap((source) => source.split(' '))
  const roots = new Int32Array(sources.length)
  const features = new Int16Array(nodes.length)
  const thresholds = new Float32Array(nodes.length)
  const rights = new Int32Array(nodes.length)
  const read = (at: number): number => {
    const node = nodes[at] ?? '=0'
    if (node.startsWith('=')) {
      features[at] = -1
      thresholds[at] = Number(node.slice(1))
      return at + 1
    }
    const [feature, threshold] = node.split('<')
    features[at] = Number(feature)
    thresholds[at] = Number(threshold)
    const right = read(at + 1)
    rights[at] = right
    return read(right)
  }
  let next = 0
  for (let tree = 0; tree < sources.length; tree++) {
    roots[tree] = next
    next = read(next)
  }
  return { roots, features, thresholds, rights }
}
