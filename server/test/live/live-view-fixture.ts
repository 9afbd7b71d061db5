import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { CreateSessionOptions, CreateSessionResponse } from '../../../src/contract.ts'
import { playwright } from '../../../src/playwright.ts'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { htmlDocument, type Pages } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

/** A session with a page that Playwright drives. */
export interface TestPage extends AsyncDisposable {
  readonly session: CreateSessionResponse
  /** The page, as Playwright sees it. */
  readonly page: Page
}

/** The page of a session that tests share, and its live view. */
export interface WatchedPage {
  readonly session: CreateSessionResponse
  readonly page: Page
  readonly view: View
}

/** A server, a site for its sessions, and a second browser that shows live views. */
export interface LiveViewFixture extends AsyncDisposable {
  readonly lab: Lab
  readonly site: Site
  readonly openTestPage: (path: string, options?: CreateSessionOptions) => Promise<TestPage>
  /**
   * Opens a path in a session that tests share, and waits until its interactive live view shows it.
   * Closes all other tabs.
   */
  readonly openWatchedPage: (path: string) => Promise<WatchedPage>
  /** Opens a live view in a new browser context and waits until it shows a picture. */
  readonly openView: (url: string | undefined, options?: BrowserContextOptions) => Promise<View>
}

/** A live view in the second browser. */
export interface View extends AsyncDisposable {
  readonly page: Page
  /** The colour of the picture at a position of the page, in CSS pixels of the page. */
  readonly colourAt: (x: number, y: number) => Promise<readonly number[]>
  /** The position of an element of the page on the viewer's screen. */
  readonly positionOf: (target: Page, element: string | Locator) => Promise<{ readonly x: number; readonly y: number }>
  readonly click: (target: Page, element: string | Locator) => Promise<void>
  /** Width of the picture by its height, with one decimal. */
  readonly shape: () => Promise<number>
}

/** Pages that the site serves in addition to those of the lab. */
const pages: Pages = {
  '/blocks': ({ response }) => {
    const block = (colour: string, left: number, top: number): string =>
      `<div style="position:fixed;left:${left}px;top:${top}px;width:300px;height:200px;background:${colour}"></div>`
    const blocks = [
      block('#ff0000', 0, 0),
      block('#00ff00', 300, 0),
      block('#0000ff', 0, 200),
      block('#ffff00', 300, 200),
    ]
    response.setHeader('content-type', 'text/html').end(htmlDocument('Blocks', blocks.join('')))
  },
  '/asks': ({ response }) => {
    const script = `<script>document.title = prompt('Who is there?')</script>`
    response.setHeader('content-type', 'text/html').end(htmlDocument('Asks', script))
  },
  '/embed': ({ response, url }) => {
    const frame = `<iframe src="${url.searchParams.get('src')}" style="border:0;width:800px;height:600px"></iframe>`
    response.setHeader('content-type', 'text/html').end(htmlDocument('Embedded', frame))
  },
  '/one-colour': ({ response, url }) => {
    const style = `<style>html{background:#${url.searchParams.get('colour')}}</style>`
    response.setHeader('content-type', 'text/html').end(htmlDocument(`Colour ${url.searchParams.get('colour')}`, style))
  },
}

/**
 * Starts the server, the site and the second browser. `browser`: the kind of those of sessions. The
 * second is a headless shell.
 */
export async function openLiveViewFixture(browser: 'shell' | 'chromium' = 'shell'): Promise<LiveViewFixture> {
  await using undo = new AsyncDisposableStack()
  const lab = undo.use(await startLab({ browser }))
  const site = undo.use(await startSite(pages))
  const viewerBrowser = await chromium.launch({ executablePath: browserPaths.shell, args: ['--no-sandbox'] })
  undo.defer(async () => viewerBrowser.close())
  const shared = undo.use(new AsyncDisposableStack())
  let sharedSession: Promise<SharedSession> | undefined
  const opened = undo.move()
  return {
    lab,
    site,
    openTestPage: async (path, options) => openTestPage(lab, site, path, options),
    openWatchedPage: async (path) => {
      sharedSession ??= openSharedSession(lab, site, viewerBrowser, shared)
      return (await sharedSession).show(path)
    },
    openView: async (url, options) => openView(viewerBrowser, url, options),
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}

interface SharedSession {
  readonly show: (path: string) => Promise<WatchedPage>
}

/** Opens a session, a client and a view, which end with `shared`. */
async function openSharedSession(
  lab: Lab,
  site: Site,
  viewerBrowser: Browser,
  shared: AsyncDisposableStack,
): Promise<SharedSession> {
  const { session, page: first } = shared.use(await openTestPage(lab, site, '/blocks'))
  const context = first.context()
  const view = shared.use(await openView(viewerBrowser, session.interactiveLiveViewUrl))
  return {
    show: async (path) => {
      const [page = await context.newPage(), ...others] = context.pages()
      for (const other of others) await other.close()
      page.removeAllListeners('dialog')
      await view.page.unrouteAll()
      await page.setViewportSize({ width: 600, height: 400 })
      await page.goto(site.url(path))
      const title = await page.title()
      await expect.poll(async () => view.page.getByRole('tab', { selected: true }).textContent()).toBe(title)
      await expect.poll(async () => view.shape()).toBe(1.5)
      return { session, page, view }
    },
  }
}

async function openTestPage(lab: Lab, site: Site, path: string, options?: CreateSessionOptions): Promise<TestPage> {
  const session = await lab.createSession(options)
  const handles = await playwright.connect(session)
  const { page } = handles
  await page.setViewportSize({ width: 600, height: 400 })
  await page.goto(site.url(path))
  return {
    session,
    page,
    [Symbol.asyncDispose]: async () => {
      await handles[Symbol.asyncDispose]()
      await lab.api('DELETE', `/v2/browser/${session.id}`)
    },
  }
}

async function openView(
  viewerBrowser: Browser,
  url: string | undefined,
  options?: BrowserContextOptions,
): Promise<View> {
  const context = await viewerBrowser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 900, height: 700 },
    ...options,
  })
  const page = await context.newPage()
  await page.goto(url ?? '')
  await page.waitForSelector('body[data-phase=live]')
  const positionOf: View['positionOf'] = async (target, shown) => {
    const element = await (typeof shown === 'string' ? target.locator(shown) : shown).boundingBox()
    const size = await target.evaluate<{ width: number; height: number }>(
      '({ width: innerWidth, height: innerHeight })',
    )
    const picture = await page.locator('#canvas').boundingBox()
    if (element === null || picture === null) throw new Error(`${String(shown)} cannot be seen`)
    return {
      x: picture.x + ((element.x + element.width / 2) * picture.width) / size.width,
      y: picture.y + ((element.y + element.height / 2) * picture.height) / size.height,
    }
  }
  return {
    page,
    positionOf,
    colourAt: async (x, y) => page.evaluate<readonly number[]>(readColour(x, y)),
    click: async (target, element) => {
      const position = await positionOf(target, element)
      await page.mouse.click(position.x, position.y)
    },
    shape: async () => {
      const box = await page.locator('#canvas').boundingBox()
      return box === null ? 0 : Math.round((box.width / box.height) * 10) / 10
    },
    [Symbol.asyncDispose]: async () => context.close(),
  }
}

/** The page is 600 pixels wide. */
function readColour(x: number, y: number): string {
  return `(() => {
  const canvas = document.querySelector('canvas')
  const scale = canvas.width / 600
  return [...canvas.getContext('2d').getImageData(${x} * scale, ${y} * scale, 1, 1).data].slice(0, 3)
})()`
}

/** Waits until the picture has this colour at a position. Tolerates compression artifacts. */
export async function expectColour(view: View, position: readonly [number, number], colour: readonly number[]) {
  return expect
    .poll(
      async () => {
        const seen = await view.colourAt(...position)
        return Math.max(...seen.map((value, index) => Math.abs(value - (colour[index] ?? 0))))
      },
      { message: `the colour at ${position.join()} is ${colour.join()}`, timeout: 5000 },
    )
    .toBeLessThan(24)
}
