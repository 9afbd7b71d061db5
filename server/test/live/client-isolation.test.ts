import { readdir, readFile } from 'node:fs/promises'
import type { Page as PlaywrightPage } from 'playwright-core'
import type { Page as PuppeteerPage } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playwright } from '../../../src/playwright.ts'
import { puppeteer } from '../../../src/puppeteer.ts'
import { expectColour, openLiveViewFixture, type LiveViewFixture } from './live-view-fixture.ts'

let liveViewFixture: LiveViewFixture
beforeAll(async () => {
  liveViewFixture = await openLiveViewFixture()
})
afterAll(async () => liveViewFixture[Symbol.asyncDispose]())

/** Results of the same actions in both libraries. */
interface ActionResults {
  readonly dialog: unknown
  readonly intercepted: string
  readonly viewport: string
  readonly download: string
}

const viewport = '[innerWidth, innerHeight, devicePixelRatio].join()'

async function actWithPlaywright(page: PlaywrightPage): Promise<ActionResults> {
  const url = liveViewFixture.site.url('/title?text=Real')
  await page.setViewportSize({ width: 611, height: 433 })
  page.on('dialog', (dialog) => void dialog.accept('spliced'))
  await page.goto(liveViewFixture.site.url('/blocks'))
  const dialog = await page.evaluate(`prompt('Which?')`)
  await page.route(url, async (route) => route.fulfill({ body: '<title>Made up</title>', contentType: 'text/html' }))
  await page.goto(url)
  const intercepted = await page.title()
  await page.goto(liveViewFixture.site.url('/blocks'))
  const downloading = page.waitForEvent('download')
  await page.evaluate(`location.href = '/download?name=report.txt'`)
  const download = await downloading
  expect(await download.failure()).toBeNull()
  return {
    dialog,
    intercepted,
    viewport: await page.evaluate<string>(viewport),
    download: download.suggestedFilename(),
  }
}

async function actWithPuppeteer(page: PuppeteerPage): Promise<ActionResults> {
  const url = liveViewFixture.site.url('/title?text=Real')
  await page.setViewport({ width: 611, height: 433 })
  page.on('dialog', (dialog) => void dialog.accept('spliced'))
  await page.goto(liveViewFixture.site.url('/blocks'))
  const dialog = await page.evaluate(`prompt('Which?')`)
  await page.setRequestInterception(true)
  page.on('request', (request) => {
    if (request.url() === url) void request.respond({ body: '<title>Made up</title>', contentType: 'text/html' })
    else void request.continue()
  })
  await page.goto(url)
  const intercepted = await page.title()
  await page.goto(liveViewFixture.site.url('/blocks'))
  const cdp = await page.createCDPSession()
  const downloading = new Promise<string>((resolve) => {
    cdp.on('Browser.downloadWillBegin', ({ suggestedFilename }) => resolve(suggestedFilename))
  })
  await cdp.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/tmp', eventsEnabled: true })
  await page.evaluate(`location.href = '/download?name=report.txt'`)
  return { dialog, intercepted, download: await downloading, viewport: (await page.evaluate(viewport)) as string }
}

const expected: ActionResults = {
  dialog: 'spliced',
  intercepted: 'Made up',
  viewport: '611,433,1',
  download: 'report.txt',
}

describe('viewers do not affect', () => {
  test('a Playwright and a Puppeteer client', async () => {
    const session = await liveViewFixture.lab.createSession()
    await using watching = await liveViewFixture.openView(session.liveViewUrl)
    await using acting = await liveViewFixture.openView(session.interactiveLiveViewUrl)
    await acting.page.mouse.move(400, 400)
    {
      await using handles = await playwright.connect(session)

      expect(await actWithPlaywright(handles.page)).toEqual(expected)
      await expectColour(watching, [150, 100], [255, 0, 0])
      await handles.page.goto('about:blank')
    }
    await using handles = await puppeteer.connect(session)

    expect(await actWithPuppeteer(handles.page)).toEqual(expected)
    await expectColour(watching, [150, 100], [255, 0, 0])
  })

  test('a client while they connect and disconnect', async () => {
    const session = await liveViewFixture.lab.createSession()
    await using handles = await playwright.connect(session)
    const { page } = handles
    await page.setViewportSize({ width: 611, height: 433 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(liveViewFixture.site.url('/blocks'))

    for (const url of [session.liveViewUrl, session.interactiveLiveViewUrl]) {
      await using view = await liveViewFixture.openView(url)
      await expectColour(view, [150, 100], [255, 0, 0])
    }

    expect(await page.evaluate(viewport)).toBe('611,433,1')
    expect(await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`)).toBe(true)
  })
})

test('the live view uses no CDP commands that override settings of clients', async () => {
  const live = new URL('../../src/live/', import.meta.url)
  const names = (await readdir(live)).filter((name) => name.endsWith('.ts'))
  const files = [new URL('../cdp/screencast.ts', live), ...names.map((name) => new URL(name, live))]
  const sources = await Promise.all(files.map(async (file) => readFile(file, 'utf8')))

  const commands = sources.join('\n').match(/'[A-Z][A-Za-z]+\.[a-z][A-Za-z]+'/g) ?? []

  expect(commands.length).toBeGreaterThan(10)
  const overriding = /^'(?:Emulation|Browser|Fetch)\.|^'Network\.(?!enable|request|response|loading|webSocket)/
  expect(commands.filter((command) => overriding.test(command))).toEqual([])
})
