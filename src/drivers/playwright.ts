import type { Browser, BrowserContext, BrowserType, ConnectOverCDPTransport, Page } from 'playwright-core'
import type { ConnectOptions, DrivenSession, Driver, Reuse } from '../client/driver.ts'
import { createFailureSignal } from './failure-signal.ts'
import { connectBrowser } from './connect.ts'
import { loadPackage } from './load-package.ts'
import { objectCodec } from './message-codec.ts'
import { openTransport } from './open-transport.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'

/**
 * Handles of a session connected with Playwright.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { playwright, type PlaywrightHandles } from 'bowline/playwright'
 *
 * async function readTitle({ page }: PlaywrightHandles, url: string): Promise<string> {
 *   await page.goto(url)
 *   return page.title()
 * }
 * const { result } = await new Bowline().withSession({ ttl: 60, driver: playwright }, (handles) =>
 *   readTitle(handles, 'https://example.com'),
 * )
 * console.log(result)
 * ```
 */
export interface PlaywrightHandles {
  readonly browser: Browser
  /** Default context of the session, with the storage of its profile. */
  readonly context: BrowserContext
  /** Open page of the context. */
  readonly page: Page
}

type Library = Pick<BrowserType, 'connectOverCDP'>

/**
 * Driver that connects sessions with the installed Playwright: `playwright`, `playwright-core` or
 * `@playwright/test`. `playwright.with(chromium)` uses the given one instead.
 *
 * `work` receives `browser`, `context` and `page`. File paths of uploads and downloads refer to the
 * local machine.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { playwright } from 'bowline/playwright'
 *
 * const bowline = new Bowline()
 * const { result } = await bowline.withSession({ driver: playwright }, async ({ page }) => {
 *   await page.goto('https://example.com')
 *   return page.getByRole('heading').first().textContent()
 * })
 * console.log(result)
 * ```
 */
export const playwright = {
  ...createDriver(loadInstalled),
  /** Returns a driver that uses the given `chromium` of Playwright. */
  with: (chromium: Library): Driver<PlaywrightHandles> => createDriver(async () => chromium),
}

function createDriver(load: () => Promise<Library>): Driver<PlaywrightHandles> {
  return {
    name: 'playwright',
    connect: async (session, { signal, onLost } = {}) => {
      signal?.throwIfAborted()
      const library = await load()
      const connecting = connectLibrary(library, session, onLost)
      const browser = await connectBrowser('Playwright', connecting, disconnect, signal)
      await using undo = new AsyncDisposableStack()
      undo.defer(() => disconnect(browser))
      const context = browser.contexts()[0] ?? (await browser.newContext())
      const pages = context.pages()
      // Prefers the initial blank page. After a reconnect, this is the page that was in use.
      const page = pages.find((page) => page.url() === 'about:blank') ?? pages[0] ?? (await context.newPage())
      const owned = undo.move()
      return { browser, context, page, [Symbol.asyncDispose]: () => owned.disposeAsync() }
    },
    reuse,
  }
}

function reuse(handles: PlaywrightHandles): Reuse<PlaywrightHandles> {
  const { browser, context } = handles
  let { page } = handles
  const { signal, abort } = createFailureSignal()
  browser.on('disconnected', () => abort('the connection was closed'))
  const watch = (page: Page): unknown => page.on('crash', () => abort('a page crashed'))
  context.pages().forEach(watch)
  context.on('page', watch)
  return {
    next: async ({ keepsPages = false } = {}) => {
      // Open the new page first, since a browser without pages may exit.
      page = await context.newPage()
      const left = keepsPages ? [] : context.pages().filter((each) => each !== page)
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

/**
 * Connects through a transport with file bridge. Uses the plain URL for services without files and
 * for old versions of Playwright.
 */
async function connectLibrary(
  library: Library,
  session: DrivenSession,
  onLost: ConnectOptions['onLost'],
): Promise<Browser> {
  const opened = await openTransport(session, objectCodec, onLost)
  if (opened === undefined) return library.connectOverCDP(session.cdpUrl)
  const { transport } = opened
  try {
    return await library.connectOverCDP(transport as ConnectOverCDPTransport)
  } catch (error) {
    transport.close()
    // A version without support for transports has sent nothing.
    if (opened.isUsed()) throw error
    return library.connectOverCDP(session.cdpUrl)
  }
}

// For a browser connected over CDP, this only disconnects. It has no effect after
// `browser.close()`.
function disconnect(browser: Browser): Promise<void> {
  return browser.close()
}

async function loadInstalled(): Promise<Library> {
  const loaded = await loadPackage(['playwright', 'playwright-core', '@playwright/test'])
  return (loaded as { readonly chromium: Library }).chromium
}
