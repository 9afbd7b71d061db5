import { expect, test } from 'vitest'
import { openBrowserPool } from '../../../src/browsers/pool.ts'
import { ScrapeBrowsers } from '../../../src/scrape/render/scrape-browsers.ts'
import { openBrowserFixture } from '../../browsers/browser-fixture.ts'

test('browser contexts beyond those of open pages are counted, and pages that wait', async () => {
  await using host = await openBrowserFixture()
  await using pool = openBrowserPool({ host, warm: 0, log: { warn: () => undefined } })
  const egress = {
    openProxyEndpoint: async () => ({ server: 'http://127.0.0.1:1', traffic: noTraffic, ...disposable }),
  }
  await using browsers = new ScrapeBrowsers({ browsers: pool, egress: egress as never, maxPages: 1 })
  const { signal } = new AbortController()
  const slot = await browsers.acquire('basic', { signal })
  const createContext = async () => slot.browser.router.call('Target.createBrowserContext', { disposeOnDetach: true })
  const waiting = browsers.acquirePage({ signal })

  await createContext()
  const counts = [await browsers.leakedContexts()]
  const { browserContextId } = await createContext()
  counts.push(await browsers.leakedContexts())
  await slot.browser.router.call('Target.disposeBrowserContext', { browserContextId })
  counts.push(await browsers.leakedContexts())

  const late = browsers.acquirePage({ signal: AbortSignal.timeout(1) })

  await expect(late).rejects.toMatchObject({
    code: 'SCRAPE_TIMEOUT',
    message: expect.stringContaining('The server opens 1 pages at once, and all were in use'),
  })
  expect(counts).toEqual([0, 1, 0])
  expect(browsers.openPages()).toEqual({ open: 1, waiting: 1 })
  expect(browsers.browserIds()).toEqual(pool.liveIds())
  await slot[Symbol.asyncDispose]()
  ;(await waiting)[Symbol.dispose]()
  expect(browsers.openPages()).toEqual({ open: 0, waiting: 0 })
})

const noTraffic = () => ({ sentBytes: 0, receivedBytes: 0, refused: 0 })
const disposable = { [Symbol.asyncDispose]: async () => undefined }
