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

/** Returns the probability that a text with these features is main content. */
export function scoreRow(row: Float32Array): number {
  let logit = base
  for (let tree = 0; tree < roots.length; tree++) {
    let at = roots[tree] ?? 0
    for (let feature = features[at] ?? -1; feature >= 0; feature = features[at] ?? -1) {
      at = (row[feature] ?? 0) < (thresholds[at] ?? 0) ? at + 1 : (rights[at] ?? 0)
    }
    logit += thresholds[at] ?? 0
  }
  return 1 / (1 + Math.exp(-logit))
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
