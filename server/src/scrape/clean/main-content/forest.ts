/** Decision trees as arrays, and the distinct tests of their nodes. */
export interface Forest {
  /** Node at the root of each tree. */
  readonly roots: Int32Array
  /** Test of a node, or -1 for a leaf. A text that passes goes on at the next node. */
  readonly tests: Int32Array
  /** Value of a leaf. */
  readonly values: Float32Array
  /** Node at which a text that fails the test goes on. */
  readonly rights: Int32Array
  /** For every test, the threshold that its feature must be below. */
  readonly thresholds: Float32Array
  /** For every feature, its first test. Tests are sorted by feature and threshold. */
  readonly firstTests: Int32Array
}

/** Parses trees, given as nodes in preorder: `feature<threshold`, or `=value` for a leaf. */
export function readForest(sources: readonly string[]): Forest {
  const nodes = sources.flatMap((source) => source.split(' '))
  const { testsByNode, thresholds, firstTests } = readTests(nodes)
  const roots = new Int32Array(sources.length)
  const tests = new Int32Array(nodes.length).fill(-1)
  const values = new Float32Array(nodes.length)
  const rights = new Int32Array(nodes.length)
  const read = (at: number): number => {
    const node = nodes[at] ?? '=0'
    if (node.startsWith('=')) {
      values[at] = Number(node.slice(1))
      return at + 1
    }
    tests[at] = testsByNode.get(node) ?? -1
    const right = read(at + 1)
    rights[at] = right
    return read(right)
  }
  let next = 0
  for (let tree = 0; tree < sources.length; tree++) {
    roots[tree] = next
    next = read(next)
  }
  return { roots, tests, values, rights, thresholds, firstTests }
}

interface Test {
  readonly source: string
  readonly feature: number
  readonly threshold: number
}

/** Sorts the distinct tests of some nodes by feature and threshold. */
function readTests(nodes: readonly string[]) {
  const sorted = [...new Set(nodes.filter((node) => !node.startsWith('=')))]
    .map(parseTest)
    .sort((left, right) => left.feature - right.feature || left.threshold - right.threshold)
  const features = (sorted.at(-1)?.feature ?? -1) + 1
  const firstTests = new Int32Array(features + 1).fill(sorted.length)
  for (const [index, { feature }] of [...sorted.entries()].toReversed()) firstTests[feature] = index
  for (let feature = features - 1; feature >= 0; feature--)
    firstTests[feature] = Math.min(firstTests[feature] ?? 0, firstTests[feature + 1] ?? 0)
  return {
    testsByNode: new Map(sorted.map(({ source }, index) => [source, index])),
    thresholds: Float32Array.from(sorted, ({ threshold }) => threshold),
    firstTests,
  }
}

function parseTest(source: string): Test {
  const [feature, threshold] = source.split('<')
  return { source, feature: Number(feature), threshold: Number(threshold) }
}
