import { readForest } from './forest.ts'
import { readModel } from './model.ts'

const { base, trees } = readModel()
const { roots, tests, values, rights, thresholds, firstTests } = readForest(trees)

/** Texts that are scored together: one per bit of an integer. */
const batchSize = 32

/**
 * Returns the probability of each text that it is main content, by its features. Scores 32 texts at
 * once: a test of a feature becomes one bit per text, so that a tree splits all of them with two
 * bit operations per node.
 */
export function scoreRows(rows: readonly Float32Array[]): readonly number[] {
  const logits = new Float64Array(rows.length).fill(base)
  const passed = new Int32Array(thresholds.length)
  for (let from = 0; from < rows.length; from += batchSize) {
    const batch = rows.slice(from, from + batchSize)
    runTests(batch, passed)
    addLeaves(passed, batch.length, logits.subarray(from))
  }
  return Array.from(logits, (logit) => 1 / (1 + Math.exp(-logit)))
}

/** Sets, for every test, the bits of the texts whose feature is below the threshold. */
function runTests(batch: readonly Float32Array[], passed: Int32Array): void {
  passed.fill(0)
  for (const [index, row] of batch.entries()) {
    for (let feature = 0; feature < firstTests.length - 1; feature++) {
      const first = findTest(row[feature] ?? 0, firstTests[feature] ?? 0, firstTests[feature + 1] ?? 0)
      if (first >= 0) passed[first] = (passed[first] ?? 0) | (1 << index)
    }
  }
  // The tests of a feature are in ascending order, so that a text which passes one passes the rest.
  for (let feature = 0; feature < firstTests.length - 1; feature++) {
    let bits = 0
    const end = firstTests[feature + 1] ?? 0
    for (let test = firstTests[feature] ?? 0; test < end; test++) {
      bits |= passed[test] ?? 0
      passed[test] = bits
    }
  }
}

/** Returns the first test from `start` to `end` whose threshold is above a value, or -1. */
function findTest(value: number, start: number, end: number): number {
  if (start === end || value >= (thresholds[end - 1] ?? 0)) return -1
  if (value < (thresholds[start] ?? 0)) return start
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >> 1
    if (value < (thresholds[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return low === end ? -1 : low
}

// Deeper than any tree.
const pendingNodes = new Int32Array(64)
const pendingTexts = new Int32Array(64)

/** Adds the value of the leaf that each text reaches in each tree. */
function addLeaves(passed: Int32Array, count: number, logits: Float64Array): void {
  const all = count === batchSize ? -1 : (1 << count) - 1
  for (const root of roots) {
    let node = root
    let texts = all
    let pending = 0
    for (;;) {
      for (let test = tests[node] ?? -1; test >= 0; test = tests[node] ?? -1) {
        const below = texts & (passed[test] ?? 0)
        if (below === texts) node++
        else {
          if (below !== 0) {
            pendingNodes[pending] = node + 1
            pendingTexts[pending++] = below
          }
          texts ^= below
          node = rights[node] ?? 0
        }
      }
      addTo(logits, texts, values[node] ?? 0)
      if (pending === 0) break
      node = pendingNodes[--pending] ?? 0
      texts = pendingTexts[pending] ?? 0
    }
  }
}

/** Adds a value to the logits of the texts whose bits are set. */
function addTo(logits: Float64Array, texts: number, value: number): void {
  for (let bits = texts; bits !== 0; bits &= bits - 1) {
    const index = 31 - Math.clz32(bits & -bits)
    logits[index] = (logits[index] ?? 0) + value
  }
}
