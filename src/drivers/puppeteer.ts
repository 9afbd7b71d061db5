import type { Browser, BrowserContext, ConnectOptions, Page } from 'puppeteer-core'
import type { DrivenSession, Driver, Reuse } from '../client/driver.ts'
import { createFailureSignal } from './failure-signal.ts'
import { connectBrowser } from './connect.ts'
import { loadPackage } from './load-package.ts'
import { textForm } from './message-form.ts'
import { openTransport } from './open-transport.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'

/** What work driven by Puppeteer gets: the session's own context and its page. */
export interface PuppeteerHandles {
  readonly browser: Browser
  readonly context: BrowserContext
  readonly page: Page
}

interface Library {
  readonly connect: (options: ConnectOptions) => Promise<Browser>
}

function createDriver(load: () => Promise<Library>): Driver<PuppeteerHandles> {
  return {
    name: 'puppeteer',
    connect: async (session, { signal } = {}) => {
      signal?.throwIfAborted()
      const library = await load()
      const connecting = connectLibrary(library, session)
      const browser = await connectBrowser('Puppeteer', connecting, disconnect, signal)
      await using undo = new AsyncDisposableStack()
      undo.defer(() => disconnect(browser))
      const context = browser.defaultBrowserContext()
      const pages = await context.pages()
      // The parked page; after a reconnect the one that was worked on.
      const page = pages.find((page) => page.url() === 'about:blank') ?? pages[0] ?? (await context.newPage())
      const owned = undo.move()
      return { browser, context, page, [Symbol.asyncDispose]: () => owned.disposeAsync() }
    },
    reuse,
  }
}

function reuse(handles: PuppeteerHandles): Reuse<PuppeteerHandles> {
  const { browser, context } = handles
  let { page } = handles
  const { signal, abort } = createFailureSignal()
  browser.on('disconnected', () => abort('the connection was closed'))
  // Puppeteer's name for a crash.
  const watch = (page: Page): unknown => page.on('error', () => abort('a page has crashed'))
  watch(page)
  return {
    next: async () => {
      // First, since a browser without a page may end.
      page = await context.newPage()
      watch(page)
      const left = (await context.pages()).filter((each) => each !== page)
      await Promise.all(left.map((each) => each.close().catch(() => undefined)))
      return { browser, context, page }
    },
    probe: async () => {
      await page.evaluate('0')
    },
    failureSignal: signal,
  }
}

async function connectLibrary(library: Library, session: DrivenSession): Promise<Browser> {
  const opened = await openTransport(session, textForm)
  try {
    return await library.connect({
      ...(opened === undefined ? { browserWSEndpoint: session.cdpUrl } : { transport: opened.transport }),
      // Puppeteer would resize every page to 800 × 600.
      defaultViewport: null,
    })
  } catch (error) {
    // Left open it would keep this process, and as activity the session, alive.
    opened?.transport.close()
    throw error
  }
}

// Not `close()`, which would ask the remote browser to end; harmless after the user's own close.
function disconnect(browser: Browser): Promise<void> {
  return browser.disconnect()
}

async function loadInstalled(): Promise<Library> {
  const loaded = await loadPackage(['puppeteer', 'puppeteer-core'])
  return (loaded as { readonly default: Library }).default
}

/** Drives sessions with the installed Puppeteer; `puppeteer.with(library)` uses the one you give. */
export const puppeteer = {
  ...createDriver(loadInstalled),
  with: (library: Library): Driver<PuppeteerHandles> => createDriver(async () => library),
}
