import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { read, startPoolWorld } from './world.ts'

/** A credit a second, so that a test sees several of them. */
const dear = { hour: 3600, minimum: 6 }

test('no session is opened that the budget does not pay for, and the run says so', async () => {
  await using world = await startPoolWorld()

  const run = world.bowline.pool({ size: 4, maxUses: 1, budget: 5 }).run([1, 2, 3, 4], (item) => item)

  expect(new Set(await read(run))).toEqual(new Set([1, 2]))
  expect(await run.done()).toMatchObject({ done: 2, credits: 4, stoppedBy: 'budget' })
})

test('work is stopped before its session would cost more than the budget', async () => {
  await using world = await startPoolWorld()
  let reason: unknown

  const run = world.bowline.pool({ size: 1, budget: 7, price: dear }).run([1], async (_, { signal }) => {
    await delay(30_000, undefined, { signal }).catch(() => undefined)
    reason = signal.reason
  })
  const summary = await run.done()

  // What six and a seventh credit pay for, less the five seconds a deletion is given.
  expect(summary).toMatchObject({ done: 0, failed: 0, stoppedBy: 'budget' })
  expect(summary.elapsedMs).toBeGreaterThan(1800)
  expect(summary.elapsedMs).toBeLessThan(6000)
  expect(reason).toMatchObject({ message: 'The budget of the pool is spent' })
  expect(world.service.live.size).toBe(0)
})

test('where time costs nothing, a session goes on for what it cost at first', async () => {
  await using world = await startPoolWorld()

  const run = world.bowline
    .pool({ size: 1, budget: 3, price: { hour: 0, minimum: 2 } })
    .run([1], async (item) => delay(50, item))

  expect(await read(run)).toEqual([1])
  expect(await run.done()).toMatchObject({ credits: 2, stoppedBy: 'end' })
})

test('a session that waits is given up when the time it has paid for is over', async () => {
  await using world = await startPoolWorld()
  const slow = async function* (): AsyncGenerator<number> {
    yield 1
    await world.service.whenDeleted(1)
    yield 2
  }

  const run = world.bowline.pool({ size: 1, price: dear }).run(slow(), (_, { session }) => session.id)

  expect(await read(run)).toEqual(['session-1', 'session-2'])
})
