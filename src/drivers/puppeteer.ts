import type { Browser, BrowserContext, ConnectOptions, Page } from 'puppeteer-core'
import type { ConnectOptions as DriverConnectOptions, DrivenSession, Driver, Reuse } from '../client/driver.ts'
import { createFailureSignal } from './failure-signal.ts'
import { connectBrowser } from './connect.ts'
import { loadPackage } from './load-package.ts'
import { textCodec } from './message-codec.ts'
import { openTransport } from './open-transport.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'

/**
 * Handles of a session connected with Puppeteer.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { puppeteer, type PuppeteerHandles } from 'bowline/puppeteer'
 *
 * async function readTitle({ page }: PuppeteerHandles, url: string): Promise<string> {
 *   await page.goto(url)
 *   return page.title()
 * }
 * const { result } = await new Bowline().withSession({ ttl: 60, driver: puppeteer }, (handles) =>
 *   readTitle(handles, 'https://example.com'),
 * )
 * console.log(result)
 * ```
 */
export interface PuppeteerHandles {
  readonly browser: Browser
  /** Default context of the session, with the storage of its profile. */
  readonly context: BrowserContext
  /** Open page of the context. */
  readonly page: Page
}

interface Library {
  readonly connect: (options: ConnectOptions) => Promise<Browser>
}

/**
 * Driver that connects sessions with the installed Puppeteer: `puppeteer` or `puppeteer-core`.
 * `puppeteer.with(library)` uses the given one instead.
 *
 * `work` receives `browser`, `context` and `page`. File paths of uploads and downloads refer to the
 * local machine.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { puppeteer } from 'bowline/puppeteer'
 *
 * const bowline = new Bowline()
 * const { result } = await bowline.withSession({ driver: puppeteer }, async ({ page }) => {
 *   await page.goto('https://example.com')
 *   return page.$eval('h1', (heading) => heading.textContent)
 * })
 * console.log(result)
 * ```
 */
export const puppeteer = {
  ...createDriver(loadInstalled),
  /** Returns a driver that uses the given Puppeteer. */
  with: (library: Library): Driver<PuppeteerHandles> => createDriver(async () => library),
}

function createDriver(load: () => Promise<Library>): Driver<PuppeteerHandles> {
  return {
    name: 'puppeteer',
    connect: async (session, { signal, onLost } = {}) => {
      signal?.throwIfAborted()
      const library = await load()
      const connecting = connectLibrary(library, session, onLost)
      const browser = await connectBrowser('Puppeteer', connecting, disconnect, signal)
      await using undo = new AsyncDisposableStack()
      undo.defer(() => disconnect(browser))
      closePagesWith(browser)
      const context = browser.defaultBrowserContext()
      const pages = await context.pages()
      // Prefers the initial blank page. After a reconnect, this is the page that was in use.
      const page = pages.find((page) => page.url() === 'about:blank') ?? pages[0] ?? (await context.newPage())
      const owned = undo.move()
      return { browser, context, page, [Symbol.asyncDispose]: () => owned.disposeAsync() }
    },
    reuse,
  }
}

/**
 * Makes the pages emit `close` when the connection is closed. Puppeteer does so only for pages that
 * are closed while it is connected, so `waitForRequest()` and `waitForResponse()` would wait for
 * their whole timeout.
 */
function closePagesWith(browser: Browser): void {
  browser.once('disconnected', () => {
    for (const target of browser.targets()) {
      const closing = target.page().then((page) => page?.emit('close', undefined))
      // Puppeteer may not have connected to an unused page yet.
      closing.catch(() => undefined)
    }
  })
}

function reuse(handles: PuppeteerHandles): Reuse<PuppeteerHandles> {
  const { browser, context } = handles
  let { page } = handles
  const { signal, abort } = createFailureSignal()
  browser.on('disconnected', () => abort('the connection was closed'))
  // Puppeteer emits `error` when a page crashes.
  const watch = (page: Page): unknown => page.on('error', () => abort('a page crashed'))
  watch(page)
  return {
    next: async ({ keepsPages = false } = {}) => {
      // Open the new page first, since a browser without pages may exit.
      page = await context.newPage()
      watch(page)
      const left = keepsPages ? [] : (await context.pages()).filter((each) => each !== page)
      // A page may have closed itself.
      await Promise.all(left.map((each) => each.close().catch(() => undefined)))
      return { browser, context, page }
    },
    probe: async () => {
      await page.evaluate('0')
    },
    failureSignal: signal,
  }
}

async function connectLibrary(
  library: Library,
  session: DrivenSession,
  onLost: DriverConnectOptions['onLost'],
): Promise<Browser> {
  const opened = await openTransport(session, textCodec, onLost)
  try {
    return await library.connect({
      ...(opened === undefined ? { browserWSEndpoint: session.cdpUrl } : { transport: opened.transport }),
      // Otherwise Puppeteer resizes every page to 800 × 600.
      defaultViewport: null,
    })
  } catch (error) {
    // An open connection would keep this process alive, and the session active.
    opened?.transport.close()
    throw error
  }
}

// Not `close()`, which asks the remote browser to exit. Has no effect if it is already
// disconnected.
function disconnect(browser: Browser): Promise<void> {
  return browser.disconnect()
}

async function loadInstalled(): Promise<Library> {
  const loaded = await loadPackage(['puppeteer', 'puppeteer-core'])
  return (loaded as { readonly default: Library }).default
}
