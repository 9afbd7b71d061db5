import type { Browser, BrowserContext, BrowserType, ConnectOverCDPTransport, Page } from 'playwright-core'
import type { DrivenSession, Driver, Reuse } from '../client/driver.ts'
import { createFailureSignal } from './failure-signal.ts'
import { connectBrowser } from './connect.ts'
import { loadPackage } from './load-package.ts'
import { objectForm } from './message-form.ts'
import { openTransport } from './open-transport.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'

/** What work driven by Playwright gets: the session's own context and its page. */
export interface PlaywrightHandles {
  readonly browser: Browser
  readonly context: BrowserContext
  readonly page: Page
}

type Library = Pick<BrowserType, 'connectOverCDP'>

function createDriver(load: () => Promise<Library>): Driver<PlaywrightHandles> {
  return {
    name: 'playwright',
    connect: async (session, { signal } = {}) => {
      signal?.throwIfAborted()
      const library = await load()
      const connecting = connectLibrary(library, session)
      const browser = await connectBrowser('Playwright', connecting, disconnect, signal)
      await using undo = new AsyncDisposableStack()
      undo.defer(() => disconnect(browser))
      const context = browser.contexts()[0] ?? (await browser.newContext())
      const pages = context.pages()
      // The parked page; after a reconnect the one that was worked on.
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
  const watch = (page: Page): unknown => page.on('crash', () => abort('a page has crashed'))
  context.pages().forEach(watch)
  context.on('page', watch)
  return {
    next: async () => {
      // First, since a browser without a page may end.
      page = await context.newPage()
      const left = context.pages().filter((each) => each !== page)
      await Promise.all(left.map((each) => each.close().catch(() => undefined)))
      return { browser, context, page }
    },
    probe: async () => {
      await page.evaluate('0')
    },
    failureSignal: signal,
  }
}

/** Through a transport that bridges files; by the bare address for services without files and for older versions. */
async function connectLibrary(library: Library, session: DrivenSession): Promise<Browser> {
  const opened = await openTransport(session, objectForm)
  if (opened === undefined) return library.connectOverCDP(session.cdpUrl)
  const { transport } = opened
  try {
    return await library.connectOverCDP(transport as ConnectOverCDPTransport)
  } catch (error) {
    transport.close()
    // A version that does not know transports has sent nothing.
    if (opened.isUsed()) throw error
    return library.connectOverCDP(session.cdpUrl)
  }
}

// On a browser connected over CDP this only disconnects, and it is harmless after the user's own close.
function disconnect(browser: Browser): Promise<void> {
  return browser.close()
}

async function loadInstalled(): Promise<Library> {
  const loaded = await loadPackage(['playwright', 'playwright-core', '@playwright/test'])
  return (loaded as { readonly chromium: Library }).chromium
}

/** Drives sessions with the installed Playwright; `playwright.with(chromium)` uses the one you give. */
export const playwright = {
  ...createDriver(loadInstalled),
  with: (chromium: Library): Driver<PlaywrightHandles> => createDriver(async () => chromium),
}
