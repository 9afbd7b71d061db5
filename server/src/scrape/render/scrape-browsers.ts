import { abortable, type Abortable } from 'bowline/kit/abort'
import type { Browser } from '../../browsers/launch.ts'
import type { BrowserPool } from '../../browsers/pool.ts'
import type { Egress } from '../../egress/egress.ts'

/** Which way out the pages of a browser take. */
export type RenderRoute = 'basic' | 'enhanced'

/** What scraping browsers are made from. */
export interface ScrapeBrowserDeps {
  readonly browsers: BrowserPool
  readonly egress: Pick<Egress, 'openProxyEndpoint'>
  /** Pages open at once, in all browsers; further ones wait. */
  readonly maxPages: number
}

/** A place for one page in a browser. Disposing gives it back. */
export interface BrowserSlot extends AsyncDisposable {
  readonly browser: Browser
  /** Gives up the browser: it is killed, and whoever shares it fails, too. */
  readonly discard: () => void
}

interface BrowserEntry {
  readonly route: RenderRoute
  readonly starting: Promise<Browser>
  uses: number
  active: number
  isRetired: boolean
  retirement: NodeJS.Timeout | undefined
}

/** Pages after which a browser is replaced: what one leaves behind does not grow for ever. */
const maxUses = 100

/** Uses before the last at which the next browser is started, when several pages are under way: they need not wait for it. */
const prelaunchUses = 8

/** Milliseconds after which a browser that nobody uses is closed. */
const idleMs = 60_000

/** Browsers that pages are rendered in: shared by many pages one after another, each in a context of its own. */
export class ScrapeBrowsers implements AsyncDisposable {
  readonly #deps: ScrapeBrowserDeps
  readonly #shared = new Set<BrowserEntry>()
  readonly #closing = new Set<Promise<unknown>>()
  readonly #queue: PromiseWithResolvers<void>[] = []
  #open = 0

  constructor(deps: ScrapeBrowserDeps) {
    this.#deps = deps
  }

  /** Takes one of the places for pages without a browser, for a page that brings its own. Disposing gives it back. */
  async admit({ signal }: Abortable): Promise<Disposable> {
    if (this.#open >= this.#deps.maxPages) await this.#wait(signal)
    else this.#open += 1
    let isReleased = false
    return {
      [Symbol.dispose]: () => {
        if (isReleased) return
        isReleased = true
        const next = this.#queue.shift()
        if (next === undefined) this.#open -= 1
        else next.resolve()
      },
    }
  }

  /** Takes a place in a browser of a route, started when there is none. Throws BROWSER_START_FAILED or the signal's reason. */
  async take(route: RenderRoute, { signal }: Abortable): Promise<BrowserSlot> {
    const admission = await this.admit({ signal })
    const shared = this.#find(route) ?? this.#start(route)
    shared.uses += 1
    shared.active += 1
    clearTimeout(shared.retirement)
    if (shared.uses > maxUses - prelaunchUses && shared.active > 1) this.#startNext(route)
    let isReleased = false
    const release = async (): Promise<void> => {
      if (isReleased) return
      isReleased = true
      shared.active -= 1
      admission[Symbol.dispose]()
      this.#settle(shared)
    }
    try {
      const browser = await abortable(shared.starting, signal)
      return { browser, discard: () => this.#discard(shared, browser), [Symbol.asyncDispose]: release }
    } catch (error) {
      await release()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const shared of this.#shared) this.#retire(shared)
    await Promise.allSettled(this.#closing)
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const turn = Promise.withResolvers<void>()
    this.#queue.push(turn)
    try {
      await abortable(turn.promise, signal)
    } catch (error) {
      const index = this.#queue.indexOf(turn)
      if (index !== -1) this.#queue.splice(index, 1)
      // It was this one's turn in the very moment of the abort.
      else this.#queue.shift()?.resolve()
      throw error
    }
  }

  #find(route: RenderRoute): BrowserEntry | undefined {
    return this.#fit(route)[0]
  }

  /** Browsers that take another page, the oldest first. */
  #fit(route: RenderRoute): readonly BrowserEntry[] {
    return [...this.#shared].filter((each) => each.route === route && !each.isRetired && each.uses < maxUses)
  }

  #startNext(route: RenderRoute): void {
    if (this.#fit(route).length > 1) return
    // Nobody may come to use it.
    this.#settle(this.#start(route))
  }

  #start(route: RenderRoute): BrowserEntry {
    const { browsers, egress } = this.#deps
    const starting = browsers.launch({ openProxy: async (options) => egress.openProxyEndpoint({ ...options, route }) })
    const shared: BrowserEntry = { route, starting, uses: 0, active: 0, isRetired: false, retirement: undefined }
    this.#shared.add(shared)
    const drop = (): void => {
      shared.isRetired = true
      this.#shared.delete(shared)
      clearTimeout(shared.retirement)
    }
    starting.then((browser) => void browser.exited.then(drop), drop)
    return shared
  }

  #settle(shared: BrowserEntry): void {
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
    // A browser that never started needs no end.
    const ended = killing.catch(() => undefined)
    this.#closing.add(ended)
    void ended.then(() => this.#closing.delete(ended))
  }
}
