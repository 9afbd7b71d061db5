import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { PageSnapshots } from '../../src/mcp/snapshot/page-snapshots.ts'
import { maxTreeNodes, toSnapshotTree, walk } from '../../src/mcp/snapshot/snapshot-node.ts'
import { TreeIndex } from '../../src/mcp/snapshot/tree-index.ts'

interface JsonNode {
  readonly role: string
  readonly name: string
  readonly ref: string
}

function buttons(count: number, name: (index: number) => string): readonly JsonNode[] {
  return Array.from({ length: count }, (_, index) => ({ role: 'button', name: name(index), ref: `e${index}` }))
}

/** A page whose elements `read` returns. */
function pageOf(read: () => readonly JsonNode[]): Page {
  return {
    on: () => undefined,
    ariaSnapshotJSON: async () => read(),
    evaluate: async () => ({ width: 1000, height: 1000 }),
  } as unknown as Page
}

/** Returns the used heap in megabytes after a garbage collection. */
function usedHeapMb(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed / 1e6
}

test('long names are cut in the tree, and say so', () => {
  const { root } = toSnapshotTree(buttons(1, () => 'long '.repeat(100_000)))

  expect(root.children[0]?.name).toHaveLength(100_000 + '… (400000 more characters)'.length)
  expect(root.children[0]?.name).toMatch(/… \(400000 more characters\)$/)
})

test('the names of a tree are limited in total, and later ones are short', () => {
  const { root } = toSnapshotTree(buttons(1000, (index) => `${index} ${'x'.repeat(50_000)}`))
  const total = [...walk(root)].reduce((sum, { name }) => sum + name.length, 0)

  expect(total).toBeLessThan(2_300_000)
  expect(root.children[999]?.name).toMatch(/^999 x{10,80}… \(\d+ more characters\)$/)
})

test('a snapshot of a page with too many elements has the first ones, and says so', async () => {
  const page = pageOf(() => buttons(maxTreeNodes + 1, String))
  const snapshots = new PageSnapshots(page)

  const snapshot = await snapshots.take({ maxTokens: 1000 })
  const changes = await snapshots.takeChanges(1000)

  expect(snapshot).toMatchObject({ total: maxTreeNodes })
  expect(snapshot.text).toContain(`more than ${maxTreeNodes} elements`)
  expect(changes.text).toContain(`more than ${maxTreeNodes} elements`)
})

test('a page with exactly the maximum number of elements is not reported as cut', async () => {
  const snapshots = new PageSnapshots(pageOf(() => buttons(maxTreeNodes, String)))

  const { text } = await snapshots.take({ maxTokens: 1000 })

  expect(text).not.toContain(`more than ${maxTreeNodes}`)
})

test('snapshots of large pages keep little memory', async () => {
  const labels = JSON.stringify(buttons(100, (index) => `${index} label `.repeat(40_000)))
  const page = pageOf(() => JSON.parse(labels) as readonly JsonNode[])
  const before = usedHeapMb()
  const all = Array.from({ length: 4 }, () => new PageSnapshots(page))
  for (const snapshots of all) await snapshots.take({ maxTokens: 100 })

  const kept = usedHeapMb() - before

  expect(all).toHaveLength(4)
  expect(kept).toBeLessThan(20)
})

test('an element that was shown does not keep the tree of its snapshot in memory', async () => {
  let round = 0
  const page = pageOf(() =>
    buttons(3000, (index) => (index === 0 ? `Round ${round}` : `Button ${index}`)).concat({
      role: 'button',
      name: `New in round ${round}`,
      ref: `r${round}`,
    }),
  )
  const snapshots = new PageSnapshots(page)
  await snapshots.take({ maxTokens: 1000 })
  const before = usedHeapMb()
  for (round = 1; round <= 30; round += 1) await snapshots.takeChanges(1000)

  const kept = usedHeapMb() - before

  expect(snapshots.isEmpty).toBe(false)
  expect(kept).toBeLessThan(8)
})

test('an element with a new ref is found at its place among thousands of others', () => {
  const json = buttons(5000, String)
  const before = new TreeIndex(toSnapshotTree(json).root)
  const shown = before.find('e4000')
  const after = new TreeIndex(toSnapshotTree(json.with(4000, { role: 'button', name: 'New', ref: 'new' })).root)

  const replacement = shown && after.findReplacement(before.describe(shown), before)

  expect(replacement?.ref).toBe('new')
})
