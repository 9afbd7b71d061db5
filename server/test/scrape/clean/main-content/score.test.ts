import { expect, test } from 'vitest'
import { featureNames } from '../../../../src/scrape/clean/main-content/features.ts'
import { readModel } from '../../../../src/scrape/clean/main-content/model.ts'
import { scoreRows } from '../../../../src/scrape/clean/main-content/score.ts'

const { base, trees } = readModel()

/** Follows each tree of the model from its root to a leaf, node by node. */
function scoreRow(row: Float32Array): number {
  let logit = base
  for (const tree of trees) {
    const nodes = tree.split(' ')
    let at = 0
    for (let node = nodes[at]!; !node.startsWith('='); node = nodes[at]!) {
      const [feature, threshold] = node.split('<').map(Number)
      at = row[feature!]! < Math.fround(threshold!) ? at + 1 : skipTree(nodes, at + 1)
    }
    logit += Math.fround(Number(nodes[at]!.slice(1)))
  }
  return 1 / (1 + Math.exp(-logit))
}

function skipTree(nodes: readonly string[], at: number): number {
  return nodes[at]!.startsWith('=') ? at + 1 : skipTree(nodes, skipTree(nodes, at + 1))
}

/** Rows with a different mixture of small and large numbers in each. */
function makeRows(count: number): readonly Float32Array[] {
  return Array.from({ length: count }, (_, index) =>
    Float32Array.from(
      featureNames,
      (_, feature) => ((index * 7919 + feature * 104729) % 1009) / (1 + (index % 5) * 200),
    ),
  )
}

test.each([1, 31, 32, 33, 100])('scores %i texts as if each went through the trees alone', (count) => {
  const rows = makeRows(count)
  const scores = scoreRows(rows)
  expect(new Set(scores).size).toBeGreaterThan(count / 2)
  expect(scores).toEqual(rows.map(scoreRow))
})

test('a feature on a threshold is not below it', () => {
  const [feature, threshold] = trees[0]!.split(' ')[0]!.split('<').map(Number)
  const row = new Float32Array(featureNames.length)
  row[feature!] = threshold!
  expect(scoreRows([row])).toEqual([scoreRow(row)])
})
