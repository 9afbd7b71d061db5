import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

describe.concurrent('a session', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab()
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  const read = async (id: string): Promise<Record<string, unknown>> => (await lab.api('GET', `/v2/browser/${id}`)).body

  test('ends at its TTL, to the second, also with six at once', async ({ expect }) => {
    const sessions = await Promise.all(
      Array.from({ length: 6 }, async () => lab.createSession({ ttl: 30, activityTtl: 3600 })),
    )
    await using cdp = await connectCdp(sessions[0]!.cdpUrl)

    expect(await cdp.closed).toEqual({ code: 4001, reason: 'ttl' })

    await expect
      .poll(async () => (await lab.api('GET', '/v2/browser?status=active')).body['sessions'].length, {
        timeout: 20_000,
      })
      .toBe(0)
    const bills = await Promise.all(sessions.map(async ({ id }) => read(id)))
    expect(bills.map((bill) => bill['endReason'])).toEqual(Array.from({ length: 6 }, () => 'ttl'))
    expect(bills.map((bill) => bill['creditsBilled'])).toEqual(Array.from({ length: 6 }, () => 2))
    // The billed duration never exceeds the requested lifetime, and the session ends less than a
    // second late.
    expect(bills.every((bill) => bill['sessionDurationMs'] === 30_000)).toBe(true)
    await expect.poll(() => browserPids(lab.dataDir)).toEqual([])
  })

  test('ends after its activityTtl without activity', async ({ expect }) => {
    const session = await lab.createSession({ activityTtl: 10 })
    await using cdp = await connectCdp(session.cdpUrl)

    expect(await cdp.closed).toEqual({ code: 4002, reason: 'idle' })

    await expect.poll(async () => read(session.id)).toMatchObject({ status: 'destroyed', endReason: 'idle' })
    const { endedAt, lastActivity } = await read(session.id)
    const idleMs = Date.parse(String(endedAt)) - Date.parse(String(lastActivity))
    expect(idleMs).toBeGreaterThanOrEqual(10_000)
    expect(idleMs).toBeLessThan(11_500)
  })

  test('ends after its activityTtl although it is read all the time', async ({ expect }) => {
    const { id } = await lab.createSession({ activityTtl: 10 })

    await expect
      .poll(async () => read(id), { interval: 200, timeout: 20_000 })
      .toMatchObject({ status: 'destroyed', endReason: 'idle' })
  })

  test('ends when its browser hangs, billed until its last response', { timeout: 90_000 }, async ({ expect }) => {
    await using own = await startLab()
    const startedMs = performance.now()
    const session = await own.createSession()
    await using cdp = await connectCdp(session.cdpUrl)
    const [pid] = browserPids(own.dataDir)

    process.kill(-pid!, 'SIGSTOP')
    const usedMs = performance.now() - startedMs

    expect(await cdp.closed).toEqual({ code: 4003, reason: 'crashed' })
    const find = async () => (await own.api('GET', `/v2/browser/${session.id}`)).body
    await expect.poll(find).toMatchObject({
      status: 'destroyed',
      endReason: 'crashed',
      error: 'The browser stopped responding and was killed',
    })
    expect((await find())['sessionDurationMs']).toBeLessThan(usedMs + 5000)
  })

  test('stays active while a client sends commands, but not while it is only read', async ({ expect }) => {
    const driven = await lab.createSession({ activityTtl: 10 })
    const polled = await lab.createSession({ activityTtl: 10 })
    await using cdp = await connectCdp(driven.cdpUrl)

    for (let second = 0; second < 15; second += 3) {
      await delay(3000)
      await cdp.call('Browser.getVersion')
      await read(polled.id)
      // A file that does not exist yet.
      await lab.api('GET', `/v2/browser/${polled.id}/files/report.csv`)
    }

    expect(await read(driven.id)).toMatchObject({ status: 'active' })
    expect(await read(polled.id)).toMatchObject({ status: 'destroyed', endReason: 'idle' })
  })
})
