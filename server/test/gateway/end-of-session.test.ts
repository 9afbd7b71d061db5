import { chromium } from 'playwright-core'
import { connect as connectPuppeteer, TargetType } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

let lab: Lab
let site: Site
beforeAll(async () => {
  lab = await startLab()
  site = await startSite()
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

/** How each wait ended. The timeouts of the libraries are longer than those of a test. */
async function outcomesOf(waits: Readonly<Record<string, Promise<unknown>>>): Promise<object> {
  const names = Object.keys(waits)
  const settled = await Promise.allSettled(Object.values(waits))
  return Object.fromEntries(settled.map(({ status }, index) => [names[index], status]))
}

function rejected(waits: object): object {
  return Object.fromEntries(Object.keys(waits).map((name) => [name, 'rejected']))
}

describe.each(['deleted over HTTP', 'closed by the client'] as const)('when a session is %s', (how) => {
  const create = async () => lab.createSession({ ttl: 120, onBrowserClose: 'delete' })

  test('pending Puppeteer calls are rejected', async () => {
    const { id, cdpUrl } = await create()
    const browser = await connectPuppeteer({ browserWSEndpoint: cdpUrl, defaultViewport: null })
    const page = await browser.newPage()
    await page.goto(site.url('/frames'))
    const timeout = 600_000
    const waits = {
      selector: page.waitForSelector('#never', { timeout }),
      function: page.waitForFunction('false', { timeout }),
      request: page.waitForRequest('http://never/', { timeout }),
      response: page.waitForResponse('http://never/', { timeout }),
      navigation: page.waitForNavigation({ timeout }),
      frame: page.waitForFrame('http://never/', { timeout }),
      evaluate: page.evaluate('new Promise(() => {})'),
    }
    const ended = outcomesOf(waits)
    const closed = new Promise((resolve) => page.once('close', resolve))

    if (how === 'closed by the client') await browser.close()
    else await lab.api('DELETE', `/v2/browser/${id}`)

    expect(await ended).toEqual(rejected(waits))
    await closed
  })

  test('pending Playwright calls are rejected', async () => {
    const { id, cdpUrl } = await create()
    const browser = await chromium.connectOverCDP(cdpUrl)
    const page = browser.contexts()[0]!.pages()[0]!
    const timeout = 600_000
    const waits = {
      selector: page.waitForSelector('#never', { timeout }),
      request: page.waitForRequest('http://never/', { timeout }),
      event: page.waitForEvent('download', { timeout }),
      url: page.waitForURL('http://never/', { timeout }),
      evaluate: page.evaluate('new Promise(() => {})'),
    }
    const ended = outcomesOf(waits)
    const closed = new Promise((resolve) => page.once('close', resolve))

    if (how === 'closed by the client')
      await (await browser.newBrowserCDPSession()).send('Browser.close').catch(() => 0)
    else await lab.api('DELETE', `/v2/browser/${id}`)

    expect(await ended).toEqual(rejected(waits))
    await closed
  })
})

test('Browser.close sends detach and destroy events to its own client only', async () => {
  const { cdpUrl } = await lab.createSession({ ttl: 120 })
  const [mine, other] = [await connectCdp(cdpUrl), await connectCdp(cdpUrl)]
  for (const client of [mine, other]) {
    await client.call('Target.setDiscoverTargets', { discover: true })
    await client.call('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true })
  }
  const eventsOf = (client: typeof mine) => client.events.map(({ method, params }) => ({ method, params }))
  const pages = eventsOf(mine).filter(({ method }) => method === 'Target.attachedToTarget')
  expect(pages.length).toBeGreaterThan(0)

  await mine.call('Browser.close')
  await mine.closed

  const ends = eventsOf(mine).filter(({ method }) => /Destroyed|detached/.test(String(method)))
  expect(ends.slice(0, pages.length)).toEqual(
    pages.toReversed().map(({ params }) => ({
      method: 'Target.detachedFromTarget',
      params: { sessionId: params!['sessionId'], targetId: (params!['targetInfo'] as { targetId: string }).targetId },
    })),
  )
  expect(ends.slice(pages.length).map(({ method }) => method)).toEqual(
    eventsOf(mine)
      .filter(({ method }) => method === 'Target.targetCreated')
      .map(() => 'Target.targetDestroyed'),
  )
  await other.call('Browser.getVersion')
  expect(eventsOf(other).filter(({ method }) => /Destroyed|detached/.test(String(method)))).toEqual([])
})

test('a client receives only its own browser target', async () => {
  const { cdpUrl } = await lab.createSession({ ttl: 120 })
  const connect = async () => connectPuppeteer({ browserWSEndpoint: cdpUrl, defaultViewport: null })
  const [first, second] = [await connect(), await connect()]
  const raw = await connectCdp(cdpUrl)
  await raw.call('Target.setDiscoverTargets', { discover: true, filter: [{}] })
  const third = await connect()
  const ownOf = async (browser: typeof first) => {
    const session = await browser.target().createCDPSession()
    return (await session.send('Target.getTargetInfo')).targetInfo.targetId
  }
  const own = [await ownOf(first), await ownOf(second), await ownOf(third)]
  await third.disconnect()
  // Chromium reports the end of a connection before it creates the next target.
  const page = await first.newPage()
  await page.goto(site.url('/'))

  expect(new Set(own).size).toBe(3)
  for (const browser of [first, second]) {
    expect(browser.targets().filter((target) => target.type() === TargetType.BROWSER)).toHaveLength(1)
  }
  const targetInfos = raw.events.map(
    ({ params }) => params?.['targetInfo'] as { type: string; targetId: string } | undefined,
  )
  expect(new Set(targetInfos.filter((info) => info?.type === 'browser').map((info) => info?.targetId)).size).toBe(1)
  const ended = raw.events.filter(({ method }) => method === 'Target.targetDestroyed')
  expect(ended.filter(({ params }) => own.includes(String(params?.['targetId'])))).toEqual([])
  await Promise.all([first.disconnect(), second.disconnect()])
})
