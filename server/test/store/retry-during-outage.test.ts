import { expect, test } from 'vitest'
import { retryDuringOutage } from '../../src/store/retry-during-outage.ts'
import { storeUnavailable } from '../../src/store/unavailable.ts'

const outage = storeUnavailable(new Error('The connection was lost'))

test.each([
  { hasLastAttempt: false, thrown: 'stopped', attempts: 1 },
  { hasLastAttempt: true, thrown: outage.message, attempts: 2 },
])('when the signal aborts between attempts, hasLastAttempt $hasLastAttempt: $attempts attempts', async (expected) => {
  const stop = new AbortController()
  let attempts = 0
  const retrying = retryDuringOutage(
    async () => {
      attempts += 1
      if (attempts === 1) setImmediate(() => stop.abort(new Error('stopped')))
      throw outage
    },
    { signal: stop.signal, everyMs: 60_000, hasLastAttempt: expected.hasLastAttempt },
  )

  await expect(retrying).rejects.toThrow(expected.thrown)
  expect(attempts).toBe(expected.attempts)
})

test('other errors are thrown at once', async () => {
  const failure = new Error('no such table')

  await expect(
    retryDuringOutage(async () => Promise.reject(failure), { signal: AbortSignal.timeout(60_000), everyMs: 1 }),
  ).rejects.toBe(failure)
})
