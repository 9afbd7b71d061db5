import { expect, test } from 'vitest'
import { ParsingBudget } from '../../src/gateway/parsing-budget.ts'

function messageOf(params: unknown): Buffer {
  return Buffer.from(JSON.stringify({ id: 1, method: 'Runtime.callFunctionOn', params }))
}

/** Counts the messages that a client can send at once without a pause. */
function countUntilPause(message: Buffer, maxCount: number): number {
  const budget = new ParsingBudget(0)
  for (let count = 0; count < maxCount; count++) if (budget.spend(message, 0) > 0) return count
  return maxCount
}

const objects = (count: number): Buffer => messageOf({ values: Array.from({ length: count }, () => ({})) })

test('a client that sends many values is read more slowly after a burst', () => {
  const count = countUntilPause(objects(300_000), 1000)

  expect(count).toBeGreaterThan(1)
  expect(count).toBeLessThan(20)
})

test('half as many messages of twice the size are read without a pause', () => {
  const [one, two] = [objects(50_000), objects(100_000)].map((message) => countUntilPause(message, 1000))

  expect((one ?? 0) / (two ?? 0)).toBeGreaterThan(1.8)
  expect((one ?? 0) / (two ?? 0)).toBeLessThan(2.2)
})

test.each([
  ['100 files of 1 MB', messageOf({ body: 'x'.repeat(1_000_000) }), 100],
  ['100 texts of 300 kB with escapes', messageOf({ source: '"\n'.repeat(20_000).padEnd(300_000, 'x') }), 100],
  ['10,000 usual commands', messageOf({ x: 1, y: 2, button: 'left', type: 'mousePressed' }), 10_000],
])('allows %s at once', (_name, message, count) => {
  expect(countUntilPause(message, count)).toBe(count)
})

test('a pause ends after at most ten seconds, and time restores the budget', () => {
  const budget = new ParsingBudget(0)
  let pauseMs = 0
  const message = objects(300_000)
  for (let count = 0; count < 30; count++) pauseMs = budget.spend(message, 0)

  expect(pauseMs).toBe(10_000)
  expect(budget.spend(Buffer.from('{}'), 5000)).toBeGreaterThan(4000)
  expect(budget.spend(Buffer.from('{}'), 11_000)).toBe(0)
})
