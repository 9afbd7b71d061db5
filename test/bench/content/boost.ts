/** One decision tree in arrays: at a node, `feature < 0` means a leaf with `value`. */
export interface Tree {
  readonly feature: number[]
  readonly threshold: number[]
  readonly left: number[]
  readonly right: number[]
  readonly value: number[]
}

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

const bins = 48

function random(seed: number) {
  return (): number => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Cuts of every feature into at most 48 bins, by quantiles. */
function findCuts(rows: readonly Float32Array[], next: () => number): readonly Float32Array[] {
  const width = rows[0]?.length ?? 0
  const sample = rows.filter(() => next() < Math.min(1, 20_000 / rows.length))
  return Array.from({ length: width }, (_, feature) => {
    const values = Float32Array.from(sample, (row) => row[feature]!).sort()
    const cuts = new Set<number>()
    const distinct = [...new Set(values)]
    if (distinct.length <= bins)
      for (let index = 1; index < distinct.length; index++) cuts.add((distinct[index - 1]! + distinct[index]!) / 2)
    else for (let bin = 1; bin < bins; bin++) cuts.add(values[Math.floor((bin * values.length) / bins)]!)
    return Float32Array.from([...cuts].sort((a, b) => a - b))
  })
}

function binOf(value: number, cuts: Float32Array): number {
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (cuts[middle]! <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** Trains a model on rows with labels in 0..1 and weights. Deterministic for a seed. */
export function boost(
  rows: readonly Float32Array[],
  labels: readonly number[],
  weights: readonly number[],
  options: BoostOptions,
): Model {
  const next = random(options.seed)
  const cuts = findCuts(rows, next)
  const width = cuts.length
  const count = rows.length
  const binned = Array.from({ length: width }, (_, feature) =>
    Uint8Array.from(rows, (row) => binOf(row[feature]!, cuts[feature]!)),
  )
  const weightSum = weights.reduce((sum, each) => sum + each, 0)
  const mean = labels.reduce((sum, label, index) => sum + label * weights[index]!, 0) / weightSum
  const base = Math.log(mean / (1 - mean))
  const scores = new Float64Array(count).fill(base)
  const gradients = new Float64Array(count)
  const hessians = new Float64Array(count)
  const trees: Tree[] = []
  for (let round = 0; round < options.rounds; round++) {
    const chosen: number[] = []
    for (let index = 0; index < count; index++) {
      const probability = 1 / (1 + Math.exp(-scores[index]!))
      gradients[index] = (probability - labels[index]!) * weights[index]!
      hessians[index] = Math.max(1e-6, probability * (1 - probability)) * weights[index]!
      if (next() < options.rowShare) chosen.push(index)
    }
    const features = Array.from({ length: width }, (_, feature) => feature).filter(() => next() < options.featureShare)
    const tree = grow(Int32Array.from(chosen), { features, binned, cuts, gradients, hessians, next, options })
    trees.push(tree)
    for (let index = 0; index < count; index++) scores[index]! += valueOf(tree, rows[index]!)
  }
  return { base, trees }
}

function valueOf(tree: Tree, row: Float32Array): number {
  let node = 0
  while (tree.feature[node]! >= 0)
    node = row[tree.feature[node]!]! < tree.threshold[node]! ? tree.left[node]! : tree.right[node]!
  return tree.value[node]!
}

/** The logit that a model predicts for a row. */
export function logitOf(model: Model, row: Float32Array): number {
  return model.trees.reduce((sum, tree) => sum + valueOf(tree, row), model.base)
}

interface Split {
  readonly gain: number
  readonly feature: number
  readonly bin: number
}

interface Growing {
  readonly features: readonly number[]
  readonly binned: readonly Uint8Array[]
  readonly cuts: readonly Float32Array[]
  readonly gradients: Float64Array
  readonly hessians: Float64Array
  readonly next: () => number
  readonly options: BoostOptions
}

function grow(chosen: Int32Array, growing: Growing): Tree {
  const { binned, cuts, gradients, hessians, options } = growing
  const tree: Tree = { feature: [], threshold: [], left: [], right: [], value: [] }
  const add = (rows: Int32Array, depth: number): number => {
    let gradient = 0
    let hessian = 0
    for (const row of rows) {
      gradient += gradients[row]!
      hessian += hessians[row]!
    }
    const node = tree.feature.length
    tree.feature.push(-1)
    tree.threshold.push(0)
    tree.left.push(0)
    tree.right.push(0)
    tree.value.push((-gradient / (hessian + options.lambda)) * options.rate)
    if (depth === options.depth) return node
    const split = bestSplit(rows, gradient, hessian, growing)
    if (split === undefined) return node
    const column = binned[split.feature]!
    tree.feature[node] = split.feature
    tree.threshold[node] = cuts[split.feature]![split.bin]!
    tree.left[node] = add(
      rows.filter((row) => column[row]! <= split.bin),
      depth + 1,
    )
    tree.right[node] = add(
      rows.filter((row) => column[row]! > split.bin),
      depth + 1,
    )
    return node
  }
  add(chosen, 0)
  return tree
}

/**
 * The best of one random cut per feature. Random cuts decorrelate the trees and reduce overfitting.
 */
function bestSplit(rows: Int32Array, gradient: number, hessian: number, growing: Growing): Split | undefined {
  const { features, binned, cuts, gradients, hessians, next, options } = growing
  let best: Split | undefined
  const whole = gradient ** 2 / (hessian + options.lambda)
  for (const feature of features) {
    const column = binned[feature]!
    const bin = Math.floor(next() * cuts[feature]!.length)
    let leftG = 0
    let leftH = 0
    for (const row of rows) {
      if (column[row]! > bin) continue
      leftG += gradients[row]!
      leftH += hessians[row]!
    }
    const rightH = hessian - leftH
    if (leftH < options.minWeight || rightH < options.minWeight) continue
    const gain = leftG ** 2 / (leftH + options.lambda) + (gradient - leftG) ** 2 / (rightH + options.lambda) - whole
    if (gain > (best?.gain ?? 1e-4)) best = { gain, feature, bin }
  }
  return best
}
