import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page as PlaywrightPage } from 'playwright-core'
import type { Page as PuppeteerPage } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { startCuttingProxy, type CuttingProxy } from '../lab/cutting-proxy.ts'
import { describeEachDriver, type SharedHandles, type SharedPage } from '../lab/drivers.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { createRandom } from '../lab/random.ts'
import { startSite, type Site } from '../lab/site.ts'
import { contentOf, driverFiles, sha256, type DriverFiles } from './driver-files.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let proxy: CuttingProxy
let bowline: Bowline
let folder: string

beforeAll(async () => {
  lab = fixture.use(await startLab())
  site = fixture.use(await startSite())
  proxy = fixture.use(await startCuttingProxy(lab.server.url))
  bowline = fixture.use(new Bowline({ baseUrl: proxy.url, apiKey: lab.server.apiKey, reaper: false }))
  folder = fixture.use(await mkdtempDisposable(join(tmpdir(), 'resume-'))).path
})

afterAll(async () => {
  await fixture.disposeAsync()
})

/** Waits until the site has received a request whose path contains `part`. */
async function requested(part: string): Promise<void> {
  await expect.poll(() => site.requests.all.some(({ path }) => path.includes(part))).toBe(true)
}

/** Cuts the connection of the only client, and waits until it is back. */
async function cutAndWait(): Promise<void> {
  proxy.cut()
  await expect.poll(() => proxy.webSockets()).toBe(1)
}

/** Cuts the connection of the only client, which may be about to resume after another cut. */
async function cutAgain(): Promise<void> {
  while (proxy.webSockets() === 0) await sleep(1)
  proxy.cut()
}

/** Handling of requests and dialogs of a page, with each library. */
interface Handlers {
  /** Answers the requests of a page for `/missing` with the text "Intercepted". */
  readonly intercept: (page: SharedPage, meanwhile: () => Promise<void>) => Promise<void>
  /** Enters a text in every dialog of a page. */
  readonly enterText: (page: SharedPage, text: string, meanwhile: () => Promise<void>) => void
}

const body = '<title>Intercepted</title>'

const handlers: Readonly<Record<string, Handlers>> = {
  playwright: {
    intercept: async (shared, meanwhile) => {
      await (shared as unknown as PlaywrightPage).route('**/missing', async (route) => {
        await meanwhile()
        await route.fulfill({ contentType: 'text/html', body })
      })
    },
    enterText: (shared, text, meanwhile) => {
      ;(shared as unknown as PlaywrightPage).on('dialog', (dialog) => void meanwhile().then(() => dialog.accept(text)))
    },
  },
  puppeteer: {
    intercept: async (shared, meanwhile) => {
      const page = shared as unknown as PuppeteerPage
      await page.setRequestInterception(true)
      page.on('request', (request) => {
        if (!request.url().endsWith('/missing')) void request.continue()
        else void meanwhile().then(() => request.respond({ contentType: 'text/html', body }))
      })
    },
    enterText: (shared, text, meanwhile) => {
      ;(shared as unknown as PuppeteerPage).on('dialog', (dialog) => void meanwhile().then(() => dialog.accept(text)))
    },
  },
}

describeEachDriver('a connection that is cut', (driver) => {
  const own = handlers[driver.name] as Handlers
  const hands = driverFiles[driver.name] as DriverFiles
  const withPage = async <Result>(work: (handles: SharedHandles) => Promise<Result>): Promise<Result> =>
    (await bowline.withSession({ driver, ttl: 120 }, work)).result

  test('during a navigation does not disturb it', async () => {
    const title = await withPage(async ({ page }) => {
      const going = page.goto(site.url(`/slow?ms=500&for=${driver.name}`))
      await requested(`for=${driver.name}`)
      await cutAndWait()
      await going
      return page.title()
    })

    expect(title).toBe('Slow')
  })

  test('three times during an evaluation of 5 s does not disturb it', async () => {
    const result = await withPage(async ({ page }) => {
      const evaluating = page.evaluate('new Promise((done) => setTimeout(done, 5000, "done"))')
      for (let count = 0; count < 3; count += 1) {
        await sleep(1000)
        await cutAndWait()
      }
      return evaluating
    })

    expect(result).toBe('done')
  })

  test('while a request is intercepted does not disturb the interception', async () => {
    const title = await withPage(async ({ page }) => {
      await own.intercept(page, cutAndWait)
      await page.goto(site.url('/missing'))
      return page.title()
    })

    expect(title).toBe('Intercepted')
  })

  test('while a dialog is open does not close the dialog', async () => {
    const entered = await withPage(async ({ page }) => {
      own.enterText(page, 'a bowline', cutAndWait)
      return page.evaluate('prompt("Which knot?")')
    })

    expect(entered).toBe('a bowline')
  })

  test('during a download does not disturb it', async () => {
    const bytes = 20_000_000
    const path = await withPage(async ({ page }) => {
      await page.goto(site.url('/'))
      const url = site.url(`/download?bytes=${bytes}&name=${driver.name}.bin`)
      const downloading = hands.download(page, url, folder, `${driver.name}.bin`)
      await requested(`name=${driver.name}.bin`)
      await cutAndWait()
      return downloading
    })

    expect(sha256(await readFile(path))).toBe(sha256(contentOf(bytes)))
  })

  test('during the transfer of a finished download does not disturb it', async () => {
    const bytes = 5_000_000
    const name = `finished-${driver.name}.bin`
    const path = await withPage(async ({ page }) => {
      await page.goto(site.url('/'))
      proxy.cutResponse('/files/', 1_000_000)
      return hands.download(page, site.url(`/download?bytes=${bytes}&name=${name}`), folder, name)
    })

    expect(sha256(await readFile(path))).toBe(sha256(contentOf(bytes)))
  })

  test('100 times during 2000 commands neither loses nor repeats one', async () => {
    const seed = Date.now()
    const random = createRandom(seed)
    const cuts = new Set(
      Array.from({ length: 20 }, (_, block) => block).flatMap((block) =>
        Array.from({ length: 5 }, (_, index) => block * 100 + index * 20 + random.whole(0, 19)),
      ),
    )
    const counts = await withPage(async ({ page }) => {
      const results: Promise<number>[] = []
      for (let index = 0; index < 2000; index += 1) {
        results.push(page.evaluate<number>('window.count = (window.count ?? 0) + 1'))
        if (cuts.has(index)) await cutAgain()
        if (index % random.whole(1, 10) === 0) await results.at(-1)
      }
      return Promise.all(results)
    })

    expect(counts, `seed ${seed}`).toEqual(Array.from({ length: 2000 }, (_, index) => index + 1))
  })

  test('for too long ends the work with the cause', async () => {
    await using other = await startLab({ resumeSeconds: 1 })
    await using otherProxy = await startCuttingProxy(other.server.url)
    await using client = new Bowline({ baseUrl: otherProxy.url, apiKey: other.server.apiKey, reaper: false })
    const outcome = client.withSession({ driver }, async ({ page }) => {
      const accept = otherProxy.refuse()
      otherProxy.cut()
      // Time enough for the deletion of the session, which comes next.
      setTimeout(accept, 3000).unref()
      await page.evaluate('new Promise(() => {})')
    })

    await expect(outcome).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringMatching(/^The connection to session \S+ was lost: .*ECONN/) as string,
      cause: expect.objectContaining({ message: expect.stringMatching(/closed/i) as string }) as object,
    })
  })
})
