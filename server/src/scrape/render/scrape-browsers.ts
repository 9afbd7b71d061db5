import { abortable, type Abortable } from 'bowline/kit/abort'
import type { Browser } from '../../browsers/launch.ts'
import type { BrowserPool } from '../../browsers/pool.ts'
import type { Egress } from '../../egress/egress.ts'
import type { MetricRecorder } from '../../metrics/metrics.ts'
import { BowlineError } from 'bowline/kit/errors'
import { isTimeLimit } from '../../kit/is-time-limit.ts'
import { Semaphore } from '../../kit/semaphore.ts'

/** Upstream proxy that the pages of a browser use. */
export type UpstreamName = 'basic' | 'enhanced'

/** Dependencies of `ScrapeBrowsers`. */
export interface ScrapeBrowserDeps {
  readonly browsers: BrowserPool
  readonly egress: Pick<Egress, 'openProxyEndpoint'>
  /** Maximum number of open pages, in all browsers. Further pages wait. */
  readonly maxPages: number
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
}

/** A slot for one page in a shared browser. Disposing releases it. */
export interface BrowserSlot extends AsyncDisposable {
  readonly browser: Browser
  /** Kills the browser. Other pages in it fail. */
  readonly discard: () => void
}

interface BrowserEntry {
  readonly upstream: UpstreamName
  readonly starting: Promise<Browser>
  /** Set once it has started. */
  browser: Browser | undefined
  uses: number
  active: number
  isRetired: boolean
  retirement: NodeJS.Timeout | undefined
}

/**
 * Number of pages after which a browser is replaced, so that its memory does not grow without
 * limit.
 */
const maxUses = 100

/**
 * The next browser is launched this many pages before the last one, so that pages do not wait for
 * it.
 */
const prelaunchUses = 8

/** Milliseconds after which an idle browser is closed. */
const idleMs = 60_000

/**
 * Browsers that render pages. Each is shared by up to 100 pages, each in its own browser context.
 */
export class ScrapeBrowsers implements AsyncDisposable {
  readonly #deps: ScrapeBrowserDeps
  readonly #shared = new Set<BrowserEntry>()
  readonly #closing = new Set<Promise<unknown>>()
  readonly #pages: Semaphore

  constructor(deps: ScrapeBrowserDeps) {
    this.#deps = deps
    this.#pages = new Semaphore(deps.maxPages)
  }

  /**
   * Acquires one of the `maxPages` slots, for a page with its own browser. Disposing releases it.
   * Throws SCRAPE_TIMEOUT if none became free in time, or the signal's reason.
   */
  async acquirePage({ signal }: Abortable): Promise<Disposable> {
    const startedMs = performance.now()
    const page = await this.#pages.acquire(signal).catch((error: unknown) => {
      throw isTimeLimit(error) ? noFreePage(this.#deps.maxPages, error) : error
    })
    this.#deps.metrics?.observe('bowline_render_wait_seconds', {}, (performance.now() - startedMs) / 1000)
    return page
  }

  /**
   * Acquires a slot in a browser with an upstream, launched if needed. Throws BROWSER_START_FAILED
   * SCRAPE_TIMEOUT if no slot became free in time, or the signal's reason.
   */
  async acquire(upstream: UpstreamName, { signal }: Abortable): Promise<BrowserSlot> {
    const page = await this.acquirePage({ signal })
    const shared = this.#find(upstream) ?? this.#start(upstream)
    shared.uses += 1
    shared.active += 1
    clearTimeout(shared.retirement)
    if (shared.uses > maxUses - prelaunchUses && shared.active > 1) this.#startNext(upstream)
    let isReleased = false
    const release = async (): Promise<void> => {
      if (isReleased) return
      isReleased = true
      shared.active -= 1
      page[Symbol.dispose]()
      this.#retireWhenIdle(shared)
    }
    try {
      const browser = await abortable(shared.starting, signal)
      return { browser, discard: () => this.#discard(shared, browser), [Symbol.asyncDispose]: release }
    } catch (error) {
      await release()
      throw error
    }
  }

  /** Pages that are open, and callers that wait to open one. */
  openPages(): { readonly open: number; readonly waiting: number } {
    return { open: this.#pages.acquired, waiting: this.#pages.waiting }
  }

  /** Ids of the running browsers. */
  browserIds(): readonly string[] {
    return [...this.#shared].flatMap(({ browser }) => (browser === undefined ? [] : [browser.id]))
  }

  /** Counts the browser contexts beyond those of open pages. */
  async leakedContexts(): Promise<number> {
    const counts = await Promise.all(
      [...this.#shared].map(async (shared) => {
        if (shared.browser === undefined) return 0
        const { browserContextIds } = await shared.browser.router.call('Target.getBrowserContexts')
        // A page counts as active from before its context is created until it is closed.
        return Math.max(0, browserContextIds.length - shared.active)
      }),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const shared of this.#shared) this.#retire(shared)
    await Promise.allSettled(this.#closing)
  }

  #find(upstream: UpstreamName): BrowserEntry | undefined {
    return this.#available(upstream)[0]
  }

  /** Browsers that can take another page, oldest first. */
  #available(upstream: UpstreamName): readonly BrowserEntry[] {
    return [...this.#shared].filter((each) => each.upstream === upstream && !each.isRetired && each.uses < maxUses)
  }

  #startNext(upstream: UpstreamName): void {
    if (this.#available(upstream).length > 1) return
    // Start the idle timer, since it may never be used.
    this.#retireWhenIdle(this.#start(upstream))
  }

  #start(upstream: UpstreamName): BrowserEntry {
    const { browsers, egress } = this.#deps
    const starting = browsers.launch({
      openProxyEndpoint: async (options) => egress.openProxyEndpoint({ ...options, upstream }),
    })
    const shared: BrowserEntry = {
      upstream,
      starting,
      browser: undefined,
      uses: 0,
      active: 0,
      isRetired: false,
      retirement: undefined,
    }
    this.#shared.add(shared)
    const drop = (): void => {
      shared.isRetired = true
      this.#shared.delete(shared)
      clearTimeout(shared.retirement)
    }
    starting.then((browser) => {
      shared.browser = browser
      void browser.exited.then(drop)
    }, drop)
    return shared
  }

  #retireWhenIdle(shared: BrowserEntry): void {
    if (shared.active > 0) return
    if (shared.uses >= maxUses || shared.isRetired) return this.#retire(shared)
    shared.retirement = setTimeout(() => this.#retire(shared), idleMs).unref()
  }

  #retire(shared: BrowserEntry): void {
    shared.isRetired = true
    this.#shared.delete(shared)
    clearTimeout(shared.retirement)
    this.#end(shared.starting.then(async (browser) => browser.kill()))
  }

  #discard(shared: BrowserEntry, browser: Browser): void {
    shared.isRetired = true
    this.#end(browser.kill())
  }

  #end(killing: Promise<void>): void {
    // The browser may have failed to start.
    const ended = killing.catch(() => undefined)
    this.#closing.add(ended)
    void ended.then(() => this.#closing.delete(ended))
  }
}

function noFreePage(maxPages: number, cause: unknown): BowlineError {
  return new BowlineError(
    'SCRAPE_TIMEOUT',
    `the page was still waiting for a browser. The server opens ${maxPages} pages at once, and all were in use`,
    { hint: 'Retry later, raise `timeout`, or start the server with a larger `--max-pages`.', cause },
  )
}
