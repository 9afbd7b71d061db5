import { maxBins, type BinnedRows } from './bins.ts'

/** One decision tree in arrays: at a node, `feature < 0` means a leaf with `value`. */
export interface Tree {
  readonly feature: number[]
  readonly threshold: number[]
  /** Bin of the threshold: bins up to it are below the threshold. */
  readonly bin: number[]
  readonly left: number[]
  readonly right: number[]
  readonly value: number[]
}

/** How to grow a tree. */
export interface GrowOptions {
  readonly depth: number
  readonly rate: number
  readonly lambda: number
  readonly minWeight: number
  readonly featureShare: number
  readonly rowShare: number
}

interface Split {
  readonly gain: number
  /** Index in the features of this tree. */
  readonly at: number
  readonly bin: number
}

/** Returns a function that grows one tree on a random share of the rows and features. */
export function createTreeGrower(
  binned: BinnedRows,
  options: GrowOptions,
): (gradients: Float32Array, hessians: Float32Array, random: () => number) => Tree {
  return (gradients, hessians, random) => {
    const grower = new TreeGrower(binned, options, random)
    return grower.grow(gradients, hessians)
  }
}

function drawRows(count: number, share: number, random: () => number): Int32Array {
  const rows = new Int32Array(count)
  let drawn = 0
  for (let row = 0; row < count; row++) if (random() < share) rows[drawn++] = row
  return rows.subarray(0, drawn)
}

/**
 * Grows one tree. Finds splits by histograms: sums of gradients and hessians per feature and bin.
 */
class TreeGrower {
  readonly #binned: BinnedRows
  readonly #options: GrowOptions
  readonly #features: readonly number[]
  readonly #rows: Int32Array
  /** Bins of the chosen rows, one column per chosen feature. */
  readonly #columns: Uint8Array
  /** Chosen rows, those of a node next to each other. */
  readonly #order: Int32Array
  readonly #buffer: Int32Array
  readonly #gradients: Float32Array
  readonly #hessians: Float32Array
  readonly #tree: Tree = { feature: [], threshold: [], bin: [], left: [], right: [], value: [] }

  constructor(binned: BinnedRows, options: GrowOptions, random: () => number) {
    this.#binned = binned
    this.#options = options
    this.#rows = drawRows(binned.count, options.rowShare, random)
    this.#features = binned.columns.map((_, feature) => feature).filter(() => random() < options.featureShare)
    const count = this.#rows.length
    this.#columns = new Uint8Array(this.#features.length * count)
    for (const [at, feature] of this.#features.entries()) this.#copyColumn(feature, at * count)
    this.#order = new Int32Array(count)
    for (let index = 0; index < count; index++) this.#order[index] = index
    this.#buffer = new Int32Array(count)
    this.#gradients = new Float32Array(count)
    this.#hessians = new Float32Array(count)
  }

  grow(gradients: Float32Array, hessians: Float32Array): Tree {
    for (let index = 0; index < this.#rows.length; index++) {
      this.#gradients[index] = gradients[this.#rows[index]!]!
      this.#hessians[index] = hessians[this.#rows[index]!]!
    }
    this.#addNode(0, this.#rows.length, this.#histogram(0, this.#rows.length), 0)
    return this.#tree
  }

  #copyColumn(feature: number, to: number): void {
    const column = this.#binned.columns[feature]!
    for (let index = 0; index < this.#rows.length; index++) this.#columns[to + index] = column[this.#rows[index]!]!
  }

  #histogram(from: number, to: number): Float64Array {
    const sums = new Float64Array(this.#features.length * maxBins * 2)
    const count = this.#rows.length
    const order = this.#order.subarray(from, to)
    const columns = this.#columns
    const pairs = this.#pairsOf(order)
    for (let at = 0; at < this.#features.length; at++) {
      const column = columns.subarray(at * count, (at + 1) * count)
      const base = at * maxBins
      for (let index = 0; index < order.length; index++) {
        const bin = (base + column[order[index]!]!) << 1
        sums[bin]! += pairs[index << 1]!
        sums[bin + 1]! += pairs[(index << 1) + 1]!
      }
    }
    return sums
  }

  /** Gradients and hessians of rows, next to each other in memory. */
  #pairsOf(order: Int32Array): Float32Array {
    const gradients = this.#gradients
    const hessians = this.#hessians
    const pairs = new Float32Array(order.length * 2)
    for (let index = 0; index < order.length; index++) {
      pairs[index * 2] = gradients[order[index]!]!
      pairs[index * 2 + 1] = hessians[order[index]!]!
    }
    return pairs
  }

  #addNode(from: number, to: number, histogram: Float64Array, depth: number): number {
    const tree = this.#tree
    const node = tree.feature.length
    let gradient = 0
    let hessian = 0
    for (let bin = 0; bin < maxBins; bin++) {
      gradient += histogram[bin * 2] ?? 0
      hessian += histogram[bin * 2 + 1] ?? 0
    }
    tree.feature.push(-1)
    tree.threshold.push(0)
    tree.bin.push(0)
    tree.left.push(0)
    tree.right.push(0)
    tree.value.push((-gradient / (hessian + this.#options.lambda)) * this.#options.rate)
    const split = depth === this.#options.depth ? undefined : this.#bestSplit(histogram, gradient, hessian)
    if (split !== undefined) this.#divide(node, from, to, histogram, depth, split)
    return node
  }

  #divide(node: number, from: number, to: number, histogram: Float64Array, depth: number, split: Split): void {
    const tree = this.#tree
    const feature = this.#features[split.at]!
    tree.feature[node] = feature
    tree.bin[node] = split.bin
    tree.threshold[node] = this.#binned.cuts[feature]![split.bin]!
    const middle = this.#partition(from, to, split)
    if (depth + 1 === this.#options.depth) {
      // Leaves need only their sums, which the first feature has.
      tree.left[node] = this.#addNode(from, middle, this.#sums(from, middle), depth + 1)
      tree.right[node] = this.#addNode(middle, to, this.#sums(middle, to), depth + 1)
      return
    }
    const isLeftSmaller = middle - from < to - middle
    const smaller = isLeftSmaller ? this.#histogram(from, middle) : this.#histogram(middle, to)
    const larger = histogram
    for (let index = 0; index < larger.length; index++) larger[index]! -= smaller[index]!
    tree.left[node] = this.#addNode(from, middle, isLeftSmaller ? smaller : larger, depth + 1)
    tree.right[node] = this.#addNode(middle, to, isLeftSmaller ? larger : smaller, depth + 1)
  }

  #sums(from: number, to: number): Float64Array {
    let gradient = 0
    let hessian = 0
    for (let index = from; index < to; index++) {
      gradient += this.#gradients[this.#order[index]!]!
      hessian += this.#hessians[this.#order[index]!]!
    }
    return Float64Array.of(gradient, hessian)
  }

  #partition(from: number, to: number, split: Split): number {
    const column = split.at * this.#rows.length
    let left = from
    let right = 0
    for (let index = from; index < to; index++) {
      const row = this.#order[index]!
      if (this.#columns[column + row]! <= split.bin) this.#order[left++] = row
      else this.#buffer[right++] = row
    }
    this.#order.set(this.#buffer.subarray(0, right), left)
    return left
  }

  #bestSplit(histogram: Float64Array, gradient: number, hessian: number): Split | undefined {
    const { lambda, minWeight } = this.#options
    const whole = gradient ** 2 / (hessian + lambda)
    let gain = 1e-4
    let best: Split | undefined
    for (let at = 0; at < this.#features.length; at++) {
      const cuts = this.#binned.cuts[this.#features[at]!]!.length
      let leftGradient = 0
      let leftHessian = 0
      for (let bin = 0; bin < cuts; bin++) {
        leftGradient += histogram[(at * maxBins + bin) * 2]!
        leftHessian += histogram[(at * maxBins + bin) * 2 + 1]!
        const rightHessian = hessian - leftHessian
        if (leftHessian < minWeight) continue
        if (rightHessian < minWeight) break
        const score =
          leftGradient ** 2 / (leftHessian + lambda) + (gradient - leftGradient) ** 2 / (rightHessian + lambda) - whole
        if (score <= gain) continue
        gain = score
        best = { gain, at, bin }
      }
    }
    return best
  }
}
