import { chromium } from 'playwright-core'
import { connect as connectPuppeteer, type Page as PuppeteerPage } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { leaveOnlyPage } from '../../../test/lab/only-page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

describe('Playwright and Puppeteer on one session', () => {
  let lab: Lab
  let site: Site
  let id: string
  let cdpUrl: string
  beforeAll(async () => {
    lab = await startLab()
    site = await startSite()
    ;({ id, cdpUrl } = await lab.createSession())
  })
  afterEach(async () => leaveOnlyPage(cdpUrl))
  afterAll(async () => {
    await lab[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
  })

  const connectBoth = async () => {
    const left = await chromium.connectOverCDP(cdpUrl)
    const right = await connectPuppeteer({ browserWSEndpoint: cdpUrl, defaultViewport: null })
    return { left, right, context: left.contexts()[0]!, page: left.contexts()[0]!.pages()[0]! }
  }

  /** The page of Puppeteer with this title. */
  const pageTitled = async (pages: readonly PuppeteerPage[], title: string): Promise<PuppeteerPage | undefined> => {
    for (const page of pages) if ((await page.title()) === title) return page
    return undefined
  }

  test("see each other's pages and can control the same page", async () => {
    const { left, right, page } = await connectBoth()
    await page.goto(site.url('/title?text=Shared'))

    const samePage = await pageTitled(await right.pages(), 'Shared')
    await samePage!.evaluate(`document.title = 'Changed on the right'`)

    expect(await page.title()).toBe('Changed on the right')
    await left.close()
    await right.disconnect()
  })

  test('keep their own viewport and request interception', async () => {
    const { left, right, context } = await connectBoth()
    const mine = await context.newPage()
    await mine.setViewportSize({ width: 555, height: 444 })
    await mine.route('**/made-up', async (route) => route.fulfill({ body: 'left' }))
    await mine.goto(site.url('/'))
    const theirs = await right.newPage()
    await theirs.setViewport({ width: 800, height: 600 })
    await theirs.setRequestInterception(true)
    theirs.on('request', (request) => {
      const answer = request.url().endsWith('/made-up') ? request.respond({ body: 'right' }) : request.continue()
      answer.catch(() => undefined)
    })
    await theirs.goto(site.url('/'))
    const look = `fetch('/made-up').then(async (answer) => [innerWidth, innerHeight, await answer.text()])`

    const [left1, right1] = await Promise.all([mine.evaluate(look), theirs.evaluate(look)])

    expect(left1).toEqual([555, 444, 'left'])
    expect(right1).toEqual([800, 600, 'right'])
    await left.close()
    await right.disconnect()
  })

  test('receive only the dialogs that their own calls open', async () => {
    const { left, right, context } = await connectBoth()
    const [mine, theirs] = [await context.newPage(), await right.newPage()]
    const received: string[] = []
    // Playwright would dismiss a dialog on a page without dialog listeners.
    theirs.on('dialog', (dialog) => {
      received.push('right')
      dialog.accept('right').catch(() => undefined)
    })

    const answer = await theirs.evaluate(`prompt('whose?')`)
    mine.on('dialog', (dialog) => {
      received.push('left')
      void dialog.accept('left')
    })
    const other = await mine.evaluate(`prompt('whose?')`)

    expect([answer, other]).toEqual(['right', 'left'])
    expect(received).toEqual(['right', 'left'])
    await left.close()
    await right.disconnect()
  })

  test.each([
    ['by closing', async (browser: { close: () => Promise<void> }) => browser.close()],
    ['by disconnecting', async (browser: { disconnect: () => Promise<void> }) => browser.disconnect()],
  ])('keep the session and its pages when Puppeteer leaves %s', async (_how, leave) => {
    const { left, right, page } = await connectBoth()
    const own = await right.newPage()
    await own.goto(site.url('/title?text=Left behind'))
    await page.goto(site.url('/'))

    await leave(right)

    expect(await page.title()).toBe('Plain')
    await page.goto(site.url('/links'))
    expect(
      await Promise.all(
        page
          .context()
          .pages()
          .map(async (each) => each.title()),
      ),
    ).toContain('Left behind')
    expect((await lab.api('GET', `/v2/browser/${id}`)).body['status']).toBe('active')
    await left.close()
  })

  test('lose only the contexts that Playwright created when Playwright leaves', async () => {
    const { left, right, page } = await connectBoth()
    await page.goto(site.url('/title?text=Default context'))
    const own = await (await left.newContext()).newPage()
    await own.goto(site.url('/title?text=Own context'))

    await left.close()

    await expect
      .poll(async () => Promise.all((await right.pages()).map(async (each) => each.title())))
      .toEqual(['Default context'])
    expect((await lab.api('GET', `/v2/browser/${id}`)).body['status']).toBe('active')
    await right.disconnect()
  })

  test('receive large responses and hundreds of events at the same time', async () => {
    const { left, right, context } = await connectBoth()
    const [mine, theirs] = [await context.newPage(), await right.newPage()]
    const logged = { left: 0, right: 0 }
    mine.on('console', () => (logged.left += 1))
    theirs.on('console', () => (logged.right += 1))
    const work = (): string => {
      for (let index = 0; index < 250; index += 1) console.log(index)
      return 'x'.repeat(3e6)
    }

    const sizes = await Promise.all([
      mine.evaluate(work),
      theirs.evaluate(work),
      mine.evaluate(work),
      theirs.evaluate(work),
    ])

    expect(sizes.map((text) => text.length)).toEqual([3e6, 3e6, 3e6, 3e6])
    await expect.poll(() => logged).toEqual({ left: 500, right: 500 })
    await left.close()
    await right.disconnect()
  })

  test('are not blocked by a slow reader, which is disconnected after 10 s', async () => {
    await using slow = await connectCdp(cdpUrl)
    await using other = await connectCdp(cdpUrl)
    const page = await slow.attachToPage()
    slow.socket.pause()
    // More than the progress below reads, and than the buffers of client, server and system hold.
    for (let index = 0; index < 8; index += 1) {
      void slow.call('Runtime.evaluate', { expression: `'x'.repeat(8e6)` }, page)
    }
    // Occasional progress is not enough.
    const trickle = setInterval(() => {
      slow.socket.resume()
      setImmediate(() => slow.socket.pause())
    }, 2000)

    const evaluated = await other.call('Runtime.evaluate', { expression: '6 * 7' }, await other.attachToPage())
    clearInterval(trickle)
    slow.socket.resume()

    expect(evaluated.result?.['result'].value).toBe(42)
    expect(await slow.closed).toEqual({ code: 4008, reason: 'lagging' })
  })

  test('do not delay the end of the session when a client does not read', async () => {
    const { id, cdpUrl } = await lab.createSession({ ttl: 120, profile: { name: 'slow-reader' } })
    await using slow = await connectCdp(cdpUrl)
    const page = await slow.attachToPage()
    slow.socket.pause()
    const expression = `'x'.repeat(8e6)`
    for (let index = 0; index < 4; index += 1) void slow.call('Runtime.evaluate', { expression }, page)

    const { status, body } = await lab.api('DELETE', `/v2/browser/${id}`)

    expect([status, body['profile']]).toEqual([
      200,
      { name: 'slow-reader', saveChanges: true, loadedVersion: null, version: 1 },
    ])
  })
})
