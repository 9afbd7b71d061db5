import { expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { openWithRetries } from '../../src/testing/open-with-retries.ts'
import { sendJson, startForeignService } from '../client/foreign-service.ts'

test.each([
  [
    'waits in the queue of a server that has one',
    { position: 1, estimatedSeconds: null },
    expect.stringMatching(/^\/v2\/browser\?wait=1\d\d$/),
  ],
  ['retries on a server without a queue', undefined, '/v2/browser'],
])('opening a session on a full server %s', async (_, details, path) => {
  let isFull = true
  await using service = await startForeignService(({ method }, response) => {
    if (method !== 'POST' || !isFull) return false
    isFull = false
    return sendJson(response, 429, { success: false, code: 'CONCURRENCY_LIMIT', error: 'full', details })
  })
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, retries: 0 })

  await openWithRetries(bowline.sessions, { ttl: 60 })

  expect(service.requests.map((request) => request.path)).toEqual(['/v2/browser', path])
})

test('a long wait is reported once, with the position in the queue', async () => {
  const positions: (number | undefined)[] = []
  await using service = await startForeignService(({ method }, response) => {
    if (method !== 'POST' || positions.length > 0) return false
    return sendJson(response, 429, {
      success: false,
      code: 'CONCURRENCY_LIMIT',
      error: 'full',
      details: { position: 3 },
    })
  })
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, retries: 0 })
  const onLongWait = (position: number | undefined): unknown => positions.push(position)

  await openWithRetries(bowline.sessions, { ttl: 60 }, { onLongWait, longWaitMs: 10 })

  expect(positions).toEqual([3])
})
