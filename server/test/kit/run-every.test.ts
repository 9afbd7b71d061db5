import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runEvery } from '../../src/kit/run-every.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

function failOnError(error: unknown): void {
  throw error
}

test('runs once per interval, and not before the first has passed', async () => {
  let runs = 0
  await using _ = runEvery(1000, async () => (runs += 1), { onError: failOnError })

  await vi.advanceTimersByTimeAsync(999)
  expect(runs).toBe(0)
  await vi.advanceTimersByTimeAsync(2001)
  expect(runs).toBe(3)
})

test('runs at once if configured so', async () => {
  let runs = 0
  await using _ = runEvery(1000, async () => (runs += 1), { onError: failOnError, isImmediate: true })

  expect(runs).toBe(1)
})

test('skips the intervals that end during a run', async () => {
  const work = Promise.withResolvers<void>()
  let runs = 0
  await using _ = runEvery(
    1000,
    async () => {
      runs += 1
      await work.promise
    },
    { onError: failOnError },
  )

  await vi.advanceTimersByTimeAsync(5000)
  expect(runs).toBe(1)
  work.resolve()
  await vi.advanceTimersByTimeAsync(1000)
  expect(runs).toBe(2)
})

test('reports an error and runs again', async () => {
  const errors: unknown[] = []
  await using _ = runEvery(1000, async () => Promise.reject(new Error('no disk')), {
    onError: (error) => errors.push(error),
  })

  await vi.advanceTimersByTimeAsync(2000)
  expect(errors).toEqual([new Error('no disk'), new Error('no disk')])
})

test('disposing waits for the current run and starts no other', async () => {
  const work = Promise.withResolvers<void>()
  const events: string[] = []
  const sweep = runEvery(
    1000,
    async () => {
      await work.promise
      events.push('run ended')
    },
    { onError: failOnError, isImmediate: true },
  )

  const disposed = Promise.resolve(sweep[Symbol.asyncDispose]()).then(() => events.push('disposed'))
  work.resolve()
  await disposed
  await vi.advanceTimersByTimeAsync(5000)
  expect(events).toEqual(['run ended', 'disposed'])
})
