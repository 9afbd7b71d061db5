import type { Abortable } from 'bowline/kit/abort'
import type { SchemaChecker } from '../json-schema/schema-checker.ts'
import type { Document } from 'bowline/contract/document'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import type { Prices } from '../billing/prices.ts'
import type { MetricRecorder } from '../metrics/metrics.ts'
import { ScrapeMetrics } from './scrape-metrics.ts'
import type { ScrapeReplay } from './queries/scrape-replay.ts'
import type { PricedScrape } from './priced-scrape.ts'
import { ScrapeFinisher } from './scrape-finisher.ts'
import type { Jail } from '../browsers/jail.ts'
import type { Semaphore } from '../kit/semaphore.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import { readSessionPage } from './render/session-page.ts'
import { toScrapeRequest } from './session-scrape-request.ts'
import type { Store } from '../store/store.ts'
import { assertNotThrottled } from './fetch/assert-not-throttled.ts'
import { assertScrapeSupported } from './check-request.ts'
import { StoredScrapes } from './document/stored-scrapes.ts'
import type { LanguageModel } from './format/language-model.ts'
import { asksForEnhancedProxy, loadWithProxy } from './load/load-with-proxy.ts'
import { PageLoader, type LoaderDeps } from './load/page-loader.ts'
import { createPageProcessor } from './format/page-processor.ts'
import type { FileScrapeCall, ScrapeCall, SessionScrapeCall } from './scrape-call.ts'
import type { IndexPage } from './document/scraped-page.ts'
import type { HtmlProcesses } from './format/html-processes.ts'
import type { LineDiff } from './format/line-diff.ts'

/** Dependencies of `Scrapes`. */
export interface ScrapesDeps extends LoaderDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly workers: HtmlProcesses
  /** Limits how many PDFs are parsed at once. */
  readonly pdfSlots: Semaphore
  /** The bubblewrap around parsers of PDFs and images. Undefined: browsers have none either. */
  readonly jail: Jail | undefined
  readonly prices: Prices
  /** Without one, formats that need it are refused. */
  readonly languageModel: LanguageModel | undefined
  readonly schemas: Pick<SchemaChecker, 'warningAbout'>
  readonly hasEnhancedProxy: boolean
  readonly indexPage?: IndexPage | undefined
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
  readonly onError: (error: unknown, action: string) => void
}

/** A page that was loaded, or found in the cache, and is not a document yet. */
export interface LoadedScrape {
  /** Throws SCRAPE_SITE_BUSY if the page has just been loaded with status 429 or 503. */
  readonly assertNotThrottled: () => void
  /** Builds the document and determines its price. Throws like `scrape`. */
  readonly finish: () => Promise<PricedScrape>
}

/**
 * Turns URLs into priced documents. The caller stores the result and bills it. One `LoadedPage`
 * travels, and each step adds to it:
 *
 * | step                         | result                                                        |
 * |------------------------------|---------------------------------------------------------------|
 * | load/ (fetch/ or render/)    | `LoadedPage`: final URL, status, body; rendered: screenshot   |
 * | parse/, in another process   | `ParsedPage`: its tree, base URL and warnings                 |
 * | clean/ and format/, as well  | `ProcessedHtml`: formats, metadata, whether it is a shell     |
 * | load/                        | `ProxiedLoad`: both, and how the page was reached             |
 * | document/                    | `BuiltDocument`: the document, the body to cache, the price   |
 *
 * The HTML of a page is parsed once, in the process, which the tree never leaves. It is
 * parsed again only if it differs: a fetched shell is rendered, a blocked page is loaded over the
 * enhanced proxy, or a later request reads it from the cache. PDFs are parsed in a process.
 */
export class Scrapes implements AsyncDisposable {
  readonly #deps: ScrapesDeps
  readonly #loader: PageLoader
  readonly #storedScrapes: StoredScrapes
  readonly #finisher: ScrapeFinisher

  constructor(deps: ScrapesDeps) {
    this.#deps = deps
    this.#loader = new PageLoader(deps)
    const usesEnhancedProxy = this.#usesEnhancedProxy.bind(this)
    this.#storedScrapes = new StoredScrapes({ ...deps, usesEnhancedProxy })
    this.#finisher = new ScrapeFinisher({ ...deps, storedScrapes: this.#storedScrapes })
  }

  /** Returns the minimum price of a scrape, in credits. Throws FORMAT_UNAVAILABLE, BAD_REQUEST. */
  estimate(request: ScrapeRequest): number {
    assertScrapeSupported(this.#deps, request)
    const isEnhanced = this.#deps.hasEnhancedProxy && asksForEnhancedProxy(request.proxy)
    return this.#finisher.price(request, { isEnhanced, pages: 1 })
  }

  /**
   * Scrapes one page. Its timeout and its hold are those of the caller. Throws SCRAPE_*,
   * FORMAT_UNAVAILABLE, EGRESS_REFUSED, PDF_*, or the signal's reason.
   */
  async scrape(call: ScrapeCall): Promise<PricedScrape> {
    return (await this.load(call)).finish()
  }

  /**
   * Scrapes a page of a session in its current state. The document is stored, but the page is
   * neither cached nor indexed. Throws like `scrape`, TARGET_NOT_FOUND, SESSION_ENDED.
   */
  async scrapeSession(session: LiveSession, call: SessionScrapeCall): Promise<PricedScrape> {
    const { signal } = call
    return this.#start(call).finish('session', async () => {
      const read = await readSessionPage({ session, request: call.request, signal })
      const page = session.secrets.mask.applyToJson(read)
      const request = toScrapeRequest(call.request, page.url)
      const processed = await createPageProcessor(this.#deps.workers, request, signal)(page)
      const loaded = { page, processed, isEnhanced: false, isRendered: true }
      return this.#finisher.fromLoaded({ ...call, request }, loaded, signal)
    })
  }

  /** Compares two texts by line, in a process. Throws SCRAPE_SITE_ERROR, or the signal's reason. */
  async compareTexts(before: string, after: string, options: Abortable): Promise<LineDiff> {
    return this.#deps.workers.compare(before, after, options)
  }

  /** Parses a file of a client. Throws UNSUPPORTED_FILE_TYPE, DOCUMENT_*, or like `scrape`. */
  async parseFile({ file, ...call }: FileScrapeCall): Promise<PricedScrape> {
    const { request, teamId, signal } = call
    return this.#start(call).finish('file', async () => {
      const page = await this.#deps.documents.readUpload(file, { teamId, signal })
      const processed = await createPageProcessor(this.#deps.workers, request, signal)(page)
      const loaded = { page, processed, isEnhanced: false, isRendered: false }
      return this.#finisher.fromLoaded({ ...call, sourceUrl: file.name }, loaded, signal)
    })
  }

  /** Does the first half of `scrape`, for callers that treat throttled pages as errors. */
  async load(call: ScrapeCall): Promise<LoadedScrape> {
    assertScrapeSupported(this.#deps, call.request)
    const { request, teamId, mayFollow, checkRedirect, signal } = call
    const metrics = this.#start(call)
    const found = await metrics.attempt(async () => this.#storedScrapes.find(call))
    if (found !== undefined) {
      return {
        assertNotThrottled: () => undefined,
        finish: async () => metrics.finish('cache', async () => this.#finisher.fromCache(call, found, signal)),
      }
    }
    const { workers, hasEnhancedProxy } = this.#deps
    const processPage = createPageProcessor(workers, request, signal)
    const pageToLoad = { request, teamId, mayFollow, checkRedirect, signal, processPage }
    const loaded = await metrics.attempt(async () => loadWithProxy(this.#loader, pageToLoad, hasEnhancedProxy))
    const source = loaded.isRendered ? 'browser' : 'http'
    return {
      assertNotThrottled: () => assertNotThrottled(loaded.page),
      finish: async () => metrics.finish(source, async () => this.#finisher.fromLoaded(call, loaded, signal)),
    }
  }

  /** Throws FORMAT_UNAVAILABLE or BAD_REQUEST for a request that `scrape` would refuse. */
  check(request: ScrapeRequest): void {
    assertScrapeSupported(this.#deps, request)
  }

  /**
   * Loads a page, rendered if needed, and returns its HTML. Nothing is stored or billed.
   * Resolves to undefined for a page that is not HTML. Throws SCRAPE_*, EGRESS_REFUSED.
   */
  async loadHtml(
    request: Omit<ScrapeRequest, 'profile'>,
    signal: AbortSignal,
  ): Promise<{ readonly url: string; readonly html: string } | undefined> {
    const processPage = createPageProcessor(this.#deps.workers, request, signal)
    // Without a profile, no team is needed.
    const { page } = await this.#loader.load({ request, teamId: '', signal, processPage }, 'basic')
    return page.body.kind === 'html' ? { url: page.url, html: page.body.html } : undefined
  }

  /**
   * Finds documents by scrape id. Each is read by its function, which returns undefined for one
   * that cannot be read. Deleted scrapes are missing. Does not check to which team they belong.
   */
  async findMany(ids: readonly string[]): Promise<ReadonlyMap<string, () => Promise<Document | undefined>>> {
    return this.#storedScrapes.findMany(ids)
  }

  /**
   * Returns a document of the last 24 hours. Throws SCRAPE_NOT_FOUND, or FORBIDDEN if it belongs to
   * another team.
   */
  async read(id: string, teamId: string): Promise<Document> {
    return this.#storedScrapes.read(id, teamId)
  }

  /** Returns how the page of a scrape was loaded. Undefined if unknown. Throws like `read`. */
  async readReplay(id: string, teamId: string): Promise<ScrapeReplay | undefined> {
    return this.#storedScrapes.readReplay(id, teamId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loader[Symbol.asyncDispose]()
    await this.#deps.renderer[Symbol.asyncDispose]()
    await this.#deps.workers[Symbol.asyncDispose]()
  }

  /** Pages that are open in browsers of scrapes, and scrapes that wait to open one. */
  openPages(): { readonly open: number; readonly waiting: number } {
    return this.#deps.renderer.openPages()
  }

  /** Ids of the browsers that render pages. */
  browserIds(): readonly string[] {
    return this.#deps.renderer.browserIds()
  }

  /** Counts the browser contexts of scrapes that have ended. */
  async leakedContexts(): Promise<number> {
    return this.#deps.renderer.leakedContexts()
  }

  #start(
    call: Pick<ScrapeCall, 'waitedMs' | 'signal'> & { readonly request: Pick<ScrapeRequest, 'formats'> },
  ): ScrapeMetrics {
    return new ScrapeMetrics(this.#deps.metrics, call.request, call)
  }

  /** A URL whose proxy cannot be determined, such as a refused one, fails when it is loaded. */
  async #usesEnhancedProxy({ proxy, url }: ScrapeRequest, signal: AbortSignal): Promise<boolean> {
    if (!this.#deps.hasEnhancedProxy || !asksForEnhancedProxy(proxy)) return false
    return this.#loader.usesUpstream(url, 'enhanced', signal).catch(() => true)
  }
}
