import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline } from '../../../src/index.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite } from '../../../test/lab/site.ts'

/** A site with an endless slow download: a few bytes every 100 ms. */
async function startTricklingSite() {
  return startSite({
    '/trickle': async ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      while (response.writable) {
        response.write(Buffer.alloc(50_000))
        await delay(100)
      }
    },
  })
}

const fixture = new AsyncDisposableStack()
let lab: Lab
let bowline: Bowline
beforeAll(async () => {
  lab = fixture.use(await startLab())
  bowline = fixture.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
})
afterAll(async () => fixture.disposeAsync())

test(
  'a download counts as activity, and is discarded if it is incomplete when the session ends',
  { timeout: 90_000 },
  async () => {
    await using site = await startTricklingSite()
    const session = await bowline.sessions.create({ ttl: 120, activityTtl: 10 })
    await using cdp = await connectCdp(session.cdpUrl)
    const page = await cdp.attachToPage()

    await cdp.call('Page.navigate', { url: site.url('/trickle') }, page)
    // No request is sent to the session for longer than its idle time.
    await delay(13_000)
    const summary = await bowline.sessions.get(session.id)
    const files = await session.files.list()
    await session.end()

    expect(summary).toMatchObject({ status: 'active' })
    expect(files).toMatchObject([{ name: expect.any(String) as string, complete: false }])
    await expect(session.files.list()).rejects.toMatchObject({ code: 'SESSION_ENDED' })
  },
)

test('an aborted upload does not affect the server or the session', async () => {
  await using session = await bowline.sessions.create({ ttl: 60 })
  const stop = new AbortController()
  const slow = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new Uint8Array(1000)) })

  const sending = session.files.upload(slow, { name: 'slow', signal: stop.signal })
  await expect.poll(async () => session.files.list()).toMatchObject([{ complete: false }])
  stop.abort(new Error('aborted'))
  await expect(sending).rejects.toThrow('aborted')

  await expect.poll(async () => session.files.list()).toEqual([])
  expect((await session.files.upload(new Blob(['x']), { name: 'x' })).file.complete).toBe(true)
})
