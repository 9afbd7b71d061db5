import { binRows, findCuts, type BinnedRows } from './bins.ts'
import { createTreeGrower, type Tree } from './grow-tree.ts'
import { createRandom } from './random.ts'

/** Gradient-boosted trees for a probability: the sum of all values is its logit. */
export interface Model {
  readonly base: number
  readonly trees: readonly Tree[]
}

/** How to train. */
export interface BoostOptions {
  /** Number of trees. */
  readonly rounds: number
  readonly depth: number
  readonly rate: number
  readonly lambda: number
  readonly minWeight: number
  readonly featureShare: number
  readonly rowShare: number
  readonly seed: number
}

/** Trains a model on rows with labels in 0..1 and weights. Deterministic for a seed. */
export function boost(
  rows: readonly Float32Array[],
  labels: Float32Array,
  weights: Float32Array,
  options: BoostOptions,
): Model {
  const random = createRandom(options.seed)
  const cuts = findCuts(rows, random)
  const binned = binRows(rows, cuts)
  const base = meanLogit(labels, weights)
  const scores = new Float32Array(rows.length).fill(base)
  const gradients = new Float32Array(rows.length)
  const hessians = new Float32Array(rows.length)
  const growTree = createTreeGrower(binned, options)
  const trees: Tree[] = []
  for (let round = 0; round < options.rounds; round++) {
    readGradients(scores, { labels, weights }, gradients, hessians)
    const tree = growTree(gradients, hessians, random)
    addValues(tree, binned, scores)
    trees.push(tree)
  }
  return { base, trees }
}

/** The logit of the mean of all labels. */
function meanLogit(labels: Float32Array, weights: Float32Array): number {
  let sum = 0
  let weightSum = 0
  for (let index = 0; index < labels.length; index++) {
    sum += labels[index]! * weights[index]!
    weightSum += weights[index]!
  }
  return Math.log(sum / (weightSum - sum))
}

function readGradients(
  scores: Float32Array,
  { labels, weights }: { readonly labels: Float32Array; readonly weights: Float32Array },
  gradients: Float32Array,
  hessians: Float32Array,
): void {
  for (let index = 0; index < scores.length; index++) {
    const probability = 1 / (1 + Math.exp(-scores[index]!))
    gradients[index] = (probability - labels[index]!) * weights[index]!
    hessians[index] = Math.max(1e-6, probability * (1 - probability)) * weights[index]!
  }
}

function addValues(tree: Tree, { columns }: BinnedRows, scores: Float32Array): void {
  for (let row = 0; row < scores.length; row++) {
    let node = 0
    let feature = tree.feature[0]!
    while (feature >= 0) {
      node = columns[feature]![row]! <= tree.bin[node]! ? tree.left[node]! : tree.right[node]!
      feature = tree.feature[node]!
    }
    scores[row]! += tree.value[node]!
  }
}

/** The logit that a model predicts for a row. */
export function logitOf(model: Model, row: Float32Array): number {
  return model.trees.reduce((sum, tree) => sum + valueOf(tree, row), model.base)
}

function valueOf(tree: Tree, row: Float32Array): number {
  let node = 0
  while (tree.feature[node]! >= 0)
    node = row[tree.feature[node]!]! < tree.threshold[node]! ? tree.left[node]! : tree.right[node]!
  return tree.value[node]!
}
