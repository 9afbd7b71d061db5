import { base, trees } from './model.ts'

interface Tree {
  readonly features: Int16Array
  readonly thresholds: Float32Array
  readonly rights: Int16Array
}

/** Reads a tree from its nodes in preorder: `feature<threshold`, or `=value` for a leaf. */
const readTree = (source: string): Tree => {
  const nodes = source.split(' ')
  const features = new Int16Array(nodes.length)
  const thresholds = new Float32Array(nodes.length)
  const rights = new Int16Array(nodes.length)
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
  read(0)
  return { features, thresholds, rights }
}

const forest = trees.map(readTree)

/** The chance, 0 to 1, that the text with this row of features is main content. */
export const scoreRow = (row: Float32Array): number => {
  let logit = base
  for (const { features, thresholds, rights } of forest) {
    let at = 0
    for (let feature = features[0] ?? -1; feature >= 0; feature = features[at] ?? -1) {
      at = (row[feature] ?? 0) < (thresholds[at] ?? 0) ? at + 1 : (rights[at] ?? 0)
    }
    logit += thresholds[at] ?? 0
  }
  return 1 / (1 + Math.exp(-logit))
}
