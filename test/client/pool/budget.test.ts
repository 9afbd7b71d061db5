import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Driver } from '../../../src/index.ts'
import { sendJson } from '../foreign-service.ts'
import { read, startPoolFixture } from './fixture.ts'

/** One credit per second, so that a test can observe several credits. */
const dear = { hour: 3600, minimum: 6 }

test('a run ends with `budget` when no further session is affordable', async () => {
  await using fixture = await startPoolFixture()

  const run = fixture.bowline.pool({ size: 4, maxUses: 1, budget: 5 }).run([1, 2, 3, 4], (item) => item)

  expect(new Set(await read(run))).toEqual(new Set([1, 2]))
  expect(await run.done()).toMatchObject({ done: 2, credits: 4, stoppedBy: 'budget' })
})

test('work is aborted before its session exceeds the budget', async () => {
  await using fixture = await startPoolFixture()
  let reason: unknown

  const run = fixture.bowline.pool({ size: 1, budget: 7, price: dear }).run([1], async (_, { signal }) => {
    await delay(30_000, undefined, { signal }).catch(() => undefined)
    reason = signal.reason
  })
  const summary = await run.done()

  // Six or seven credits of time, less the five seconds reserved for the deletion.
  expect(summary).toMatchObject({ done: 0, failed: 0, stoppedBy: 'budget' })
  expect(summary.elapsedMs).toBeGreaterThan(1800)
  expect(summary.elapsedMs).toBeLessThan(6000)
  expect(reason).toMatchObject({ message: 'The budget of the pool is spent' })
  expect(fixture.service.live.size).toBe(0)
})

test('a failure that is classified after the budget has ended its session is not counted twice', async () => {
  await using fixture = await startPoolFixture()
  const judged = Promise.withResolvers<object>()
  const late = judged.promise.then(async () => delay(100))
  let connections = 0
  const driver: Driver<object> = {
    name: 'slow',
    connect: async () => ({ [Symbol.asyncDispose]: async () => undefined }),
    reuse: () => {
      const isFirst = ++connections === 1
      const next = async (): Promise<object> => (isFirst ? judged.promise : {})
      return { next, probe: async () => undefined, failureSignal: new AbortController().signal }
    },
  }
  const items = async function* (): AsyncGenerator<string> {
    yield 'first'
    await late
    yield 'second'
  }
  let attempts = 0

  const run = fixture.bowline
    .pool({ size: 1, driver, budget: 60, price: { hour: 36_000, minimum: 51 } })
    .run(items(), (item) => {
      attempts += 1
      if (attempts === 1) throw new Error('mine')
      if (attempts === 2) judged.resolve({})
      return item
    })

  expect(await read(run)).toEqual(['first', 'second'])
  expect(run.progress).toMatchObject({ running: 0, done: 2, failed: 0 })
})

test('without a minimum price, no sessions are opened once the budget is spent', async () => {
  await using fixture = await startPoolFixture()

  const run = fixture.bowline
    .pool({ size: 1, budget: 2, price: { hour: 3600, minimum: 0 } })
    .run([1], async (_, { signal }) => delay(30_000, undefined, { signal }))

  expect(await run.done()).toMatchObject({ done: 0, credits: 2, stoppedBy: 'budget' })
})

test('work that was stopped without a bill is not restarted with the same budget', async () => {
  await using fixture = await startPoolFixture(({ method }, response) => {
    if (method !== 'DELETE') return false
    return sendJson(response, 200, { success: true, sessionDurationMs: 0, creditsBilled: 0 })
  })
  let begun = 0

  const run = fixture.bowline
    .pool({ size: 1, budget: 12, price: { hour: 7200, minimum: 0 } })
    .run([1], async (_, { signal }) => {
      begun += 1
      if (begun > 1) return
      await delay(30_000, undefined, { signal })
    })

  expect(await run.done()).toMatchObject({ done: 0, credits: 0, stoppedBy: 'budget' })
  expect(begun).toBe(1)
})

test('if time is free, a session continues at its initial price', async () => {
  await using fixture = await startPoolFixture()

  const run = fixture.bowline
    .pool({ size: 1, budget: 3, price: { hour: 0, minimum: 2 } })
    .run([1], async (item) => delay(50, item))

  expect(await read(run)).toEqual([1])
  expect(await run.done()).toMatchObject({ credits: 2, stoppedBy: 'end' })
})

test('an idle session ends when its paid time is over', async () => {
  await using fixture = await startPoolFixture()
  const slow = async function* (): AsyncGenerator<number> {
    yield 1
    await fixture.service.whenDeleted(1)
    yield 2
  }

  const run = fixture.bowline.pool({ size: 1, price: dear }).run(slow(), (_, { session }) => session.id)

  expect(await read(run)).toEqual(['session-1', 'session-2'])
})

test('a session that cannot be deleted at the end of a run is reported as a warning', async () => {
  await using fixture = await startPoolFixture(
    ({ method }, response) =>
      method === 'DELETE' && sendJson(response, 403, { success: false, error: 'Read-only key' }),
  )
  const warned = once(process, 'warning')

  await fixture.bowline
    .pool({ size: 1 })
    .run([1], () => 'done')
    .done()

  const [warning] = (await warned) as [Error & { readonly code: string }]
  expect(warning).toMatchObject({ code: 'BOWLINE_DELETE_FAILED' })
  expect(warning.message).toContain('Session session-1 could not be deleted: Read-only key')
})
