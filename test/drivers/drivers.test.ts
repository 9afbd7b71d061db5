import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import puppeteerCore from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { Bowline } from '../../src/index.ts'
import { playwright } from '../../src/playwright.ts'
import { puppeteer } from '../../src/puppeteer.ts'
import { describeEachDriver } from '../lab/drivers.ts'
import { startLab } from '../lab/lab.ts'
import { startSite, type Site } from '../lab/site.ts'

const fixture = new AsyncDisposableStack()
let site: Site
let bowline: Bowline

beforeAll(async () => {
  const lab = fixture.use(await startLab())
  site = fixture.use(await startSite())
  bowline = fixture.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
})

afterAll(async () => {
  await fixture.disposeAsync()
})

describeEachDriver('a session', (driver) => {
  test('is connected on its initial page, the only one, which keeps the size of its window', async () => {
    const { result } = await bowline.withSession({ driver }, async ({ page, context }) => {
      const before = page.url()
      const [inner, outer] = await page.evaluate<number[]>('[window.innerWidth, window.outerWidth]')
      await page.goto(site.url('/'))
      return { before, inner, outer, title: await page.title(), pages: (await context.pages()).length }
    })

    expect(result).toMatchObject({ before: 'about:blank', title: expect.stringMatching(/\S/) as string, pages: 1 })
    expect(result.inner).toBe(result.outer)
  })

  test('survives a disconnect, and the next connection finds its page unchanged', async () => {
    await using session = await bowline.sessions.create({ ttl: 60 })
    {
      await using first = await driver.connect(session)
      await first.page.goto(site.url('/'))
    }

    await using second = await driver.connect(session)

    expect(second.page.url()).toBe(site.url('/'))
    expect(await bowline.sessions.get(session.id)).toMatchObject({ status: 'active' })
  })

  test('is billed once even if the work closes the browser', async () => {
    const { sessionId, creditsBilled } = await bowline.withSession({ driver }, ({ browser }) => browser.close())

    expect(creditsBilled).toBe(2)
    expect(await bowline.sessions.get(sessionId)).toMatchObject({ status: 'destroyed', creditsBilled: 2 })
  })

  test('is deleted when the work on a page fails, with the library’s own error', async () => {
    let id = ''

    const outcome = bowline.withSession({ driver }, async ({ page, session }) => {
      id = session.id
      await page.evaluate('thereIsNoSuchThing()')
    })

    await expect(outcome).rejects.toThrow('thereIsNoSuchThing is not defined')
    expect(await bowline.sessions.get(id)).toMatchObject({ status: 'destroyed', endReason: 'deleted' })
  })

  test('is deleted on timeout, even during an endless script', async () => {
    let id = ''

    const outcome = bowline.withSession({ driver, timeoutMs: 5000 }, async ({ page, session }) => {
      id = session.id
      await page.evaluate('new Promise(() => {})')
    })

    await expect(outcome).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(await bowline.sessions.get(id)).toMatchObject({ status: 'destroyed' })
  })

  test('that rejects a command during the connect is disconnected', async () => {
    await using undo = new AsyncDisposableStack()
    const service = undo.adopt(new WebSocketServer({ host: '127.0.0.1', port: 0 }), (each) => each.close())
    const closed = Promise.withResolvers<string>()
    service.on('connection', (socket) => {
      socket.on('close', () => closed.resolve('closed'))
      socket.on('message', (data: Buffer) => {
        const { id } = JSON.parse(data.toString()) as { readonly id: number }
        socket.send(JSON.stringify({ id, error: { code: -32_000, message: 'not today' } }))
      })
    })
    await once(service, 'listening')
    const { port } = service.address() as AddressInfo

    const connecting = driver.connect({ id: 'any', cdpUrl: `ws://127.0.0.1:${port}/v2/browser/any/cdp?token=secret` })

    await expect(connecting).rejects.toMatchObject({ code: 'DRIVER_FAILED' })
    expect(await closed.promise).toBe('closed')
  })

  test('can be aborted while connecting, and causes DRIVER_FAILED without the secret of its URL once it has ended', async () => {
    await using session = await bowline.sessions.create()
    const stop = new AbortController()

    const connecting = driver.connect(session, { signal: stop.signal })
    stop.abort(new Error('no longer needed'))

    await expect(connecting).rejects.toThrow('no longer needed')
    await session.end()
    const error = await driver.connect(session).then(
      () => undefined,
      (reason: Error) => reason,
    )
    expect(error).toMatchObject({ code: 'DRIVER_FAILED' })
    expect(error?.message).not.toContain(new URL(session.cdpUrl).search || new URL(session.cdpUrl).pathname)
  })
})

test.each(['ends', 'is deleted by another client'])(
  'waits of Puppeteer for events of a page reject when the session %s',
  async (how) => {
    const waits: Promise<unknown>[] = []

    await bowline
      .withSession({ driver: puppeteer }, async ({ page, session }) => {
        await page.goto(site.url('/'))
        waits.push(page.waitForRequest(site.url('/never')), page.waitForResponse(site.url('/never')))
        for (const wait of waits) wait.catch(() => undefined)
        if (how === 'ends') return
        await bowline.sessions.delete(session.id)
        await Promise.allSettled(waits)
      })
      .catch(() => undefined)

    for (const wait of waits) await expect(wait).rejects.toThrow('Page closed!')
  },
  10_000,
)

test('the driver determines the type of the work, and can be passed its library', async () => {
  const viaPlaywright = await bowline.withSession({ driver: playwright.with(chromium) }, ({ page }) =>
    page.locator('body').count(),
  )
  const viaPuppeteer = await bowline.withSession(
    { driver: puppeteer.with(puppeteerCore) },
    async ({ page }) => (await page.$$('body')).length,
  )
  // @ts-expect-error Puppeteer has no getByRole
  const wrong = () => bowline.withSession({ driver: puppeteer }, ({ page }) => page.getByRole('button'))

  const counts: readonly number[] = [viaPlaywright.result, viaPuppeteer.result]
  expect(counts).toEqual([1, 1])
  expect(wrong).toBeTypeOf('function')
})
