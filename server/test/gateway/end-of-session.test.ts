import { chromium } from 'playwright-core'
import { connect as connectPuppeteer, TargetType } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

let lab: Lab
let site: Site
/** Of a session that no test ends. */
let cdpUrl: string
beforeAll(async () => {
  lab = await startLab()
  site = await startSite()
  cdpUrl = (await lab.createSession()).cdpUrl
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

const timeout = 600_000

/** Calls of Puppeteer that would wait long, with the end of their page. */
async function waitWithPuppeteer(cdpUrl: string) {
  const browser = await connectPuppeteer({ browserWSEndpoint: cdpUrl, defaultViewport: null })
  const page = await browser.newPage()
  await page.goto(site.url('/frames'))
  const waits = {
    selector: page.waitForSelector('#never', { timeout }),
    function: page.waitForFunction('false', { timeout }),
    request: page.waitForRequest('http://never/', { timeout }),
    response: page.waitForResponse('http://never/', { timeout }),
    navigation: page.waitForNavigation({ timeout }),
    frame: page.waitForFrame('http://never/', { timeout }),
    evaluate: page.evaluate('new Promise(() => {})'),
  }
  const closed = new Promise((resolve) => page.once('close', resolve))
  return { browser, waits, ended: outcomesOf(waits), closed }
}

/** The same with Playwright. */
async function waitWithPlaywright(cdpUrl: string) {
  const browser = await chromium.connectOverCDP(cdpUrl)
  const page = browser.contexts()[0]!.pages()[0]!
  const waits = {
    selector: page.waitForSelector('#never', { timeout }),
    request: page.waitForRequest('http://never/', { timeout }),
    event: page.waitForEvent('download', { timeout }),
    url: page.waitForURL('http://never/', { timeout }),
    evaluate: page.evaluate('new Promise(() => {})'),
  }
  const closed = new Promise((resolve) => page.once('close', resolve))
  return { browser, waits, ended: outcomesOf(waits), closed }
}

describe('pending calls of Puppeteer and Playwright are rejected', () => {
  const create = async () => lab.createSession({ ttl: 120, onBrowserClose: 'delete' })

  test('when the session is deleted over HTTP', async () => {
    const { id, cdpUrl } = await create()
    const clients = [await waitWithPuppeteer(cdpUrl), await waitWithPlaywright(cdpUrl)]

    await lab.api('DELETE', `/v2/browser/${id}`)

    for (const { ended, waits, closed } of clients) {
      expect(await ended).toEqual(rejected(waits))
      await closed
    }
  })

  test('when the session is closed by Puppeteer', async () => {
    const { browser, ended, waits, closed } = await waitWithPuppeteer((await create()).cdpUrl)

    await browser.close()

    expect(await ended).toEqual(rejected(waits))
    await closed
  })

  test('when the session is closed by Playwright', async () => {
    const { browser, ended, waits, closed } = await waitWithPlaywright((await create()).cdpUrl)

    await (await browser.newBrowserCDPSession()).send('Browser.close').catch(() => 0)

    expect(await ended).toEqual(rejected(waits))
    await closed
  })
})

test('Browser.close sends detach and destroy events to its own client only', async () => {
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
