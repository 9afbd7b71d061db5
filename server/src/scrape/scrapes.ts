import type { Document } from 'bowline/contract/document'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { redactionOf } from 'bowline/contract/redaction'
import { randomSecret, uuidV7 } from 'bowline/kit/ids'
import { priceOfScrape, type Prices } from '../billing/prices.ts'
import type { Semaphore } from '../kit/semaphore.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import { readSessionPage } from './render/session-page.ts'
import { toScrapeRequest } from './session-scrape-request.ts'
import { replayOf, type ScrapeReplay } from './queries/scrape-replay.ts'
import type { StoredScrape } from './queries/scrapes.ts'
import type { Store } from '../store/store.ts'
import { assertNotThrottled } from './fetch/assert-not-throttled.ts'
import { assertScrapeSupported } from './check-request.ts'
import { isPersonal, pageCacheKey } from './document/cache-key.ts'
import { StoredScrapes, type CachedPage, type PageToStore } from './document/stored-scrapes.ts'
import { buildDocument, type BuiltDocument } from './document/build-document.ts'
import type { LanguageModel } from './format/language-model.ts'
import { asksForEnhancedProxy, loadWithProxy, type ProxiedLoad } from './load/load-with-proxy.ts'
import { PageLoader, type LoaderDeps } from './load/page-loader.ts'
import { isPricedAsExtraction } from './format/model-formats.ts'
import { createPageProcessor } from './format/page-processor.ts'
import type { FileScrapeCall, ScrapeCall, SessionScrapeCall } from './scrape-call.ts'
import { PricedScrape } from './priced-scrape.ts'
import { cacheMissMetadata, sourceMetadata, queueMetadata } from './document/scrape-metadata.ts'
import { withBaseUrl, openScrapeFiles, type ScrapeFiles } from './document/scrape-files.ts'
import type { IndexPage } from './document/scraped-page.ts'
import { cacheFactsOf } from './document/cached-page-facts.ts'
import type { HtmlThreadPool } from './format/html-thread-pool.ts'

/** Dependencies of `Scrapes`. */
export interface ScrapesDeps extends LoaderDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly workers: HtmlThreadPool
  /** Limits how many PDFs are parsed at once. */
  readonly pdfSlots: Semaphore
  readonly prices: Prices
  /** Without one, formats that need it are refused. */
  readonly languageModel: LanguageModel | undefined
  readonly hasEnhancedProxy: boolean
  readonly indexPage?: IndexPage | undefined
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
 * | parse/, in a worker thread   | `ParsedPage`: its tree, base URL and warnings                 |
 * | clean/ and format/, as well  | `ProcessedHtml`: formats, metadata, whether it is a shell     |
 * | load/                        | `ProxiedLoad`: both, and how the page was reached             |
 * | document/                    | `BuiltDocument`: the document, the body to cache, the price   |
 *
 * The HTML of a page is parsed once, in the worker thread, which the tree never leaves. It is
 * parsed again only if it differs: a fetched shell is rendered, a blocked page is loaded over the
 * enhanced proxy, or a later request reads it from the cache. PDFs are parsed in a process.
 */
export class Scrapes implements AsyncDisposable {
  readonly #deps: ScrapesDeps
  readonly #loader: PageLoader
  readonly #storedScrapes: StoredScrapes

  constructor(deps: ScrapesDeps) {
    this.#deps = deps
    this.#loader = new PageLoader(deps)
    const usesEnhancedProxy = this.#usesEnhancedProxy.bind(this)
    this.#storedScrapes = new StoredScrapes({ ...deps, usesEnhancedProxy })
  }

  /** Returns the minimum price of a scrape, in credits. Throws FORMAT_UNAVAILABLE, BAD_REQUEST. */
  estimate(request: ScrapeRequest): number {
    assertScrapeSupported(this.#deps, request)
    const isEnhanced = this.#deps.hasEnhancedProxy && asksForEnhancedProxy(request.proxy)
    return this.#price(request, { isEnhanced, pages: 1 })
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
    const { signal = new AbortController().signal } = call
    const page = await readSessionPage({ session, request: call.request, signal })
    const request = toScrapeRequest(call.request, page.url)
    const processed = await createPageProcessor(this.#deps.workers, request, signal)(page)
    return this.#fromLoaded({ ...call, request }, { page, processed, isEnhanced: false, isRendered: true }, signal)
  }

  /** Parses a file of a client. Throws UNSUPPORTED_FILE_TYPE, DOCUMENT_*, or like `scrape`. */
  async parseFile({ file, ...call }: FileScrapeCall): Promise<PricedScrape> {
    const { request, signal = new AbortController().signal } = call
    const page = await this.#deps.documents.readUpload(file, { signal })
    const processed = await createPageProcessor(this.#deps.workers, request, signal)(page)
    const loaded = { page, processed, isEnhanced: false, isRendered: false }
    return this.#fromLoaded({ ...call, sourceUrl: file.name }, loaded, signal)
  }

  /** Does the first half of `scrape`, for callers that treat throttled pages as errors. */
  async load(call: ScrapeCall): Promise<LoadedScrape> {
    assertScrapeSupported(this.#deps, call.request)
    const { request, teamId, signal = new AbortController().signal } = call
    const found = await this.#storedScrapes.find(call)
    if (found !== undefined)
      return { assertNotThrottled: () => undefined, finish: async () => this.#fromCache(call, found, signal) }
    const { workers, hasEnhancedProxy } = this.#deps
    const processPage = createPageProcessor(workers, request, signal)
    const loaded = await loadWithProxy(this.#loader, { request, teamId, signal, processPage }, hasEnhancedProxy)
    return {
      assertNotThrottled: () => assertNotThrottled(loaded.page),
      finish: async () => this.#fromLoaded(call, loaded, signal),
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
   * Returns documents by scrape id. Deleted scrapes are missing. Does not check which team they
   * belong to.
   */
  async readMany(ids: readonly string[]): Promise<ReadonlyMap<string, Document>> {
    return this.#storedScrapes.readMany(ids)
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

  /** A URL whose proxy cannot be determined, such as a refused one, fails when it is loaded. */
  async #usesEnhancedProxy({ proxy, url }: ScrapeRequest, signal = new AbortController().signal): Promise<boolean> {
    if (!this.#deps.hasEnhancedProxy || !asksForEnhancedProxy(proxy)) return false
    return this.#loader.usesUpstream(url, 'enhanced', signal).catch(() => true)
  }

  async #fromCache(call: ScrapeCall, found: CachedPage, signal: AbortSignal): Promise<PricedScrape> {
    const id = call.id ?? uuidV7()
    const { createdAt, facts: pageFacts } = found
    // The page controls its metadata, so the number of billed pages comes from the stored facts.
    const { document: cached, pages } =
      found.kind === 'document'
        ? { document: withBaseUrl(found.document, call.baseUrl), pages: pageFacts.pdf?.readPages ?? 1 }
        : await this.#fromCachedPage(call, found, signal)
    const credits = this.#price(call.request, {
      isEnhanced: pageFacts.isEnhanced && call.request.proxy !== 'basic',
      pages,
    })
    const { concurrencyQueueDurationMs: _, ...metadata } = cached.metadata
    const billingMetadata = { cacheState: 'hit' as const, cachedAt: createdAt.toISOString(), creditsUsed: credits }
    const document = {
      ...cached,
      metadata: { ...metadata, ...sourceMetadata(call, id), ...billingMetadata, ...queueMetadata(call) },
    }
    const row = await this.#pack(call, { id, document }, { hasFiles: false, secret: randomSecret() })
    const { teamId, apiKeyId } = call
    return new PricedScrape({ id, document, credits }, { teamId, apiKeyId, row })
  }

  /** Builds the document from a page that was cached with other options. */
  async #fromCachedPage(
    { request, teamId, baseUrl }: ScrapeCall,
    { page, facts }: Extract<CachedPage, { readonly kind: 'page' }>,
    signal: AbortSignal,
  ): Promise<Pick<BuiltDocument, 'document' | 'pages'>> {
    const processed = await createPageProcessor(this.#deps.workers, request, signal)(page)
    const loaded = { page, processed, isEnhanced: facts.isEnhanced, isRendered: facts.rendering !== undefined }
    const files = openScrapeFiles(this.#deps.blobs, { id: '', baseUrl, secret: undefined })
    const { document, pages } = await buildDocument({ ...this.#deps, files, request, teamId, signal, ...loaded })
    const wantsScreenshot = request.formats.some(({ type }) => type === 'screenshot')
    const screenshot = wantsScreenshot ? facts.screenshot?.url : undefined
    return { document: screenshot === undefined ? document : withBaseUrl({ ...document, screenshot }, baseUrl), pages }
  }

  async #fromLoaded(call: ScrapeCall, loaded: ProxiedLoad, signal: AbortSignal): Promise<PricedScrape> {
    const { request, baseUrl } = call
    const id = call.id ?? uuidV7()
    const secret = randomSecret()
    const kept = request.zeroDataRetention ? undefined : secret
    const files = openScrapeFiles(this.#deps.blobs, { id, baseUrl, secret: kept })
    try {
      return await this.#build(call, loaded, { id, secret, files, signal })
    } catch (error) {
      // Files left behind only take up space. Report the failure of the scrape.
      await files.discard().catch(() => undefined)
      throw error
    }
  }

  async #build(
    call: ScrapeCall,
    loaded: ProxiedLoad,
    scrape: { readonly id: string; readonly secret: string; readonly files: ScrapeFiles; readonly signal: AbortSignal },
  ): Promise<PricedScrape> {
    const { request, teamId, apiKeyId } = call
    const { id, secret, files, signal } = scrape
    const built = await buildDocument({ ...this.#deps, files, request, teamId, signal, ...loaded })
    const credits = this.#price(request, { isEnhanced: loaded.isEnhanced, pages: built.pages })
    const scrapeMetadata = {
      ...sourceMetadata(call, id),
      ...cacheMissMetadata(request),
      creditsUsed: credits,
      ...queueMetadata(call),
    }
    const document = { ...built.document, metadata: { ...built.document.metadata, ...scrapeMetadata } }
    const isCacheable = request.storeInCache && loaded.page.statusCode < 400
    const cacheKey = isCacheable ? pageCacheKey(request) : undefined
    const { markdown, stored: page } = built
    const about = { body: page.body, screenshotUrl: document.screenshot }
    const pageToCache =
      cacheKey === undefined ? undefined : { cacheKey, page, facts: cacheFactsOf(request, loaded, about) }
    signal.throwIfAborted()
    const row = await this.#pack(call, { id, document }, { pageToCache, hasFiles: !files.isEmpty(), secret })
    const isIndexed = markdown !== '' && isCacheable && !request.zeroDataRetention && !isPersonal(request)
    const { metadata } = built.document
    const indexPage = (): void => this.#deps.indexPage?.({ teamId, url: loaded.page.url, markdown, metadata })
    return new PricedScrape(
      { id, document, credits },
      {
        teamId,
        apiKeyId,
        row,
        saveTrackedState: built.saveTrackedState,
        discardFiles: files.discard,
        ...(isIndexed ? { indexPage } : {}),
      },
    )
  }

  /** Packs the row of a scrape. Returns `undefined` with zero data retention. */
  async #pack(
    { request }: ScrapeCall,
    { id, document }: { readonly id: string; readonly document: Document },
    row: { readonly pageToCache?: PageToStore | undefined; readonly hasFiles: boolean; readonly secret: string },
  ): Promise<StoredScrape | undefined> {
    if (request.zeroDataRetention) return undefined
    const packed = await this.#storedScrapes.pack(id, document, row.pageToCache)
    return { ...packed, replay: replayOf(request), secret: row.secret, hasBlobs: row.hasFiles || packed.hasBlobs }
  }

  #price(request: ScrapeRequest, use: { readonly isEnhanced: boolean; readonly pages: number }): number {
    return priceOfScrape(this.#deps.prices, {
      ...use,
      isLlmPriced: request.formats.some(isPricedAsExtraction),
      isRedacted: redactionOf(request.redactPII) !== undefined,
      isLockdown: request.lockdown,
      isZeroRetention: request.zeroDataRetention,
    })
  }
}
