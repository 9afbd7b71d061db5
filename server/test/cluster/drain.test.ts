import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

const apiKey = 'drain-key-0123456789abcdef'

describe('a server that drains beside another one', () => {
  let left: Lab
  let start: () => Promise<Lab>
  let site: Site
  let answerPages: () => void
  const undo = new AsyncDisposableStack()
  beforeAll(async () => {
    const database = undo.use(await (await sharedPostgres()).createDatabase())
    const blobs = undo.use(await mkdtempDisposable(join(tmpdir(), 'bowline-blobs-'))).path
    const held = Promise.withResolvers<void>()
    answerPages = held.resolve
    site = undo.use(
      await startSite({
        '/held': async ({ response }) => {
          await held.promise
          response.setHeader('content-type', 'text/html').end('<h1>Held</h1>')
        },
      }),
    )
    start = async () => undo.use(await startLab({ databaseUrl: database.url, apiKey, blobs, maxSessions: 1 }))
    left = await start()
  })
  afterAll(async () => undo.disposeAsync())

  test('hands over the requests and jobs that wait, and tells clients only what is true', async () => {
    const onLeft = await left.createSession()
    const { body: batch } = await left.api('POST', '/v2/batch/scrape', { urls: [site.url('/held')], maxAge: 0 })
    await expect.poll(() => site.requests.all.length).toBe(1)
    const right = await start()
    const onRight = await right.createSession()
    const waiting = left.api('POST', '/v2/browser?wait=30', {})
    const relayed = (url: string): string => url.replace(new URL(right.server.url).host, new URL(left.server.url).host)
    const toRight = await connectCdp(relayed(onRight.cdpUrl))
    const toLeft = await connectCdp(onLeft.cdpUrl)

    const stopped = left[Symbol.asyncDispose]()
    const [closedRight, closedLeft] = await Promise.all([toRight.closed, toLeft.closed])
    const refused = await left.api('POST', '/v2/browser', {})
    // The page is fetched again while the left server still drains.
    await expect.poll(() => site.requests.all.length, { timeout: 10_000 }).toBe(2)
    await right.api('DELETE', `/v2/browser/${onRight.id}`)
    const { status, body } = await waiting
    answerPages()

    expect(closedRight).toMatchObject({ code: 1012, reason: expect.stringContaining('still alive: reconnect') })
    expect(closedLeft).toEqual({ code: 4004, reason: 'drained' })
    expect(refused).toMatchObject({ status: 503, body: { code: 'DRAINING', details: { otherServers: 1 } } })
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true } })
    expect((await right.api('GET', `/v2/browser/${body['id']}`)).body).toMatchObject({ status: 'active' })
    await stopped
    const readBatch = async () => (await right.api('GET', `/v2/batch/scrape/${batch['id']}`)).body['status']
    await expect.poll(readBatch, { timeout: 10_000 }).toBe('completed')
  })
})
