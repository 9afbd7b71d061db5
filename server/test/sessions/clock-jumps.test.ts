import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab()
})
afterAll(async () => lab[Symbol.asyncDispose]())
afterEach(() => void vi.useRealTimers())

const hourMs = 3_600_000

// Changes the wall clock of the server process. Its timers and the monotonic clock are not
// affected.
test.each([
  ['forwards', hourMs],
  ['back', -hourMs],
])('a wall clock that jumps %s by an hour ends no session and does not change its bill', async (_way, jumpMs) => {
  const { id, cdpUrl } = await lab.createSession({ ttl: 600, activityTtl: 10 })
  await using cdp = await connectCdp(cdpUrl)
  const startedMs = performance.now()

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + jumpMs })
  expect((await cdp.call('Browser.getVersion')).result).toBeDefined()
  const { body } = await lab.api('GET', `/v2/browser/${id}`)
  const { status, body: bill } = await lab.api('DELETE', `/v2/browser/${id}`)

  expect(Math.abs(Date.parse(body['lastActivity']) - Date.parse(body['createdAt']))).toBeLessThan(60_000)
  expect({ status, bill }).toMatchObject({ status: 200, bill: { creditsBilled: 2 } })
  expect(bill['sessionDurationMs']).toBeGreaterThan(0)
  expect(bill['sessionDurationMs']).toBeLessThan(performance.now() - startedMs + 5000)
  expect((await cdp.closed).reason).toBe('deleted')
})
