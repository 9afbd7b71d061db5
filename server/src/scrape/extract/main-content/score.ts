import { base, trees } from './model.ts'

interface Forest {
  /** Where each tree starts. */
  readonly roots: Int32Array
  /** The feature a node asks for; -1 = a leaf. */
  readonly features: Int16Array
  /** What a feature is compared with; the value of a leaf. */
  readonly thresholds: Float32Array
  /** The node to go on with when the feature is not below the threshold. If it is, the next one. */
  readonly rights: Int32Array
}

/** Reads trees from their nodes in preorder: `feature<threshold`, or `=value` for a leaf. */
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

const { roots, features, thresholds, rights } = readForest(trees.flatMap((line) => line.split(';')))

/** The chance, 0 to 1, that the text with this row of features is main content. */
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
