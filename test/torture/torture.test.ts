import { expect, test } from 'vitest'
import { sharedPostgres } from '../lab/shared-postgres.ts'
import { commandOf, torture } from './torture.ts'

/** How long faults happen, in seconds. */
const seconds = 10

test.concurrent.each([
  [1, 1],
  [3, 2],
])('seed %i on %i servers: faults under load break no law', { timeout: 240_000 }, async (seed, servers) => {
  await using database = servers > 1 ? await (await sharedPostgres()).createDatabase() : undefined
  const options = { seed, seconds, servers, database, isLight: true, log: () => undefined }

  const { broken, faults, checked } = await torture(options)

  expect(broken, `Repeat with: ${commandOf(options)}`).toEqual([])
  // On a slow machine, a fault and the recovery from it take several seconds.
  expect(Object.values(faults).reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(3)
  expect(checked).toMatchObject({ pages: expect.any(Number), sessions: expect.any(Number) })
})

// Not at once with the others: seven servers slow each other down until timeouts pass.
test('three servers are replaced one by one under load, and no law is broken', { timeout: 240_000 }, async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  const options = { seed: 3, seconds: 5, servers: 3, database, isRolling: true, isLight: true, log: () => undefined }

  const { broken, faults, checked } = await torture(options)

  expect(broken, `Repeat with: ${commandOf(options)}`).toEqual([])
  expect(faults['replace a server']).toBeGreaterThanOrEqual(3)
  expect(checked['sessions']).toBeGreaterThan(0)
  expect(checked['pages']).toBeGreaterThan(0)
})
