import type { Document } from 'bowline/contract/document'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { createBatcher } from '../kit/create-batcher.ts'
import { randomSecret, uuidV7 } from 'bowline/kit/ids'
import type { Semaphore } from '../kit/semaphore.ts'
import type { Kysely } from 'kysely'
import type { Blobs } from '../store/blobs.ts'
import { recordWithoutHold, toScrapeWithoutHold, type ScrapeWithoutHold } from '../store/record-without-hold.ts'
import type { Database } from '../store/schema.ts'
import { insertScrape, recordScrape } from '../store/scrapes.ts'
import type { Store } from '../store/store.ts'
import { availableCredits } from '../store/teams.ts'
import { priceOfScrape, type Prices } from '../usage/prices.ts'
import { insufficientCredits, type Permit, type WorkPermits } from '../usage/work-permits.ts'
import { assertNotThrottled } from './fetch/assert-not-throttled.ts'
import { assertScrapeSupported } from './check-request.ts'
import { isPersonal, pageCacheKey } from './document/cache-key.ts'
import { StoredScrapes, type CachedPage, type PageToStore } from './document/stored-scrapes.ts'
import { buildDocument, type BuiltDocument } from './document/build-document.ts'
import type { LanguageModel } from './format/language-model.ts'
import { asksForEnhancedProxy, loadWithProxy } from './load/load-with-proxy.ts'
import { PageLoader, type LoaderDeps } from './load/page-loader.ts'
import { createPageProcessor } from './format/page-processor.ts'
import { cacheMissMetadata, sourceMetadata, queueMetadata } from './document/scrape-metadata.ts'
import { withBaseUrl, openScrapeFiles } from './document/scrape-files.ts'
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
  readonly permits: Pick<WorkPermits, 'acquire'>
  /** Without one, formats that need it are refused. */
  readonly languageModel: LanguageModel | undefined
  readonly hasEnhancedProxy: boolean
  readonly indexPage?: IndexPage | undefined
}

/** A page to scrape, and who pays for it. */
export interface ScrapeCall {
  readonly request: ScrapeRequest
  /** URL as the caller wrote it, for `metadata.sourceURL`. Default: that of the request. */
  readonly sourceUrl?: string | undefined
  readonly teamId: string
  readonly apiKeyId: string
  /** URL of this server as the client sees it, without trailing slash. */
  readonly baseUrl: string
  /** Aborting stops the scrape. Nothing is billed. */
  readonly signal?: AbortSignal | undefined
  /** Whether the caller bills: no credits are held, and the ledger gets no entry. Default false. */
  readonly isPrepaid?: boolean | undefined
  /** Id of the scrape. A scrape is billed once per id. Default: a new one. */
  readonly id?: string | undefined
  /**
   * Runs before the transaction of `onCommit`. If it throws, the scrape fails and nothing is
   * billed.
   */
  readonly prepare?: ((outcome: ScrapeOutcome) => Promise<void>) | undefined
  /**
   * Runs in the transaction that stores the scrape and its bill. If it throws, both are rolled
   * back.
   */
  readonly onCommit?: ((db: Kysely<Database>, outcome: ScrapeOutcome) => Promise<void>) | undefined
  /**
   * Runs once the team's concurrency limit admits the scrape, with `onCommit` or `isPrepaid`.
   * Its result is disposed when the scrape ends.
   */
  readonly acquireSlot?: (() => Promise<Disposable>) | undefined
  /** Treat 429 and 503 as errors and do not bill them. Default false. */
  readonly failOnThrottle?: boolean | undefined
}

/** Result of a scrape. */
export interface ScrapeOutcome {
  readonly id: string
  readonly document: Document
  readonly credits: number
}

/**
 * Turns URLs into documents, and bills them. In order: check the request, look in the cache, load
 * the page (fetch or render), process its HTML (parse, extract, format), build the document, store
 * and bill it.
 */
export class Scrapes implements AsyncDisposable {
  readonly #deps: ScrapesDeps
  readonly #loader: PageLoader
  readonly #cache: StoredScrapes
  readonly #recordWithoutHold: (scrape: ScrapeWithoutHold) => Promise<void>

  constructor(deps: ScrapesDeps) {
    this.#deps = deps
    this.#loader = new PageLoader(deps)
    this.#cache = new StoredScrapes(deps)
    // The embedded database commits one transaction at a time: waiting scrapes share the next
    // commit.
    this.#recordWithoutHold = createBatcher(async (scrapes) => recordWithoutHold(deps.store.db, scrapes))
  }

  /** Returns the minimum price of a scrape, in credits. Throws FORMAT_UNAVAILABLE, BAD_REQUEST. */
  estimate(request: ScrapeRequest): number {
    assertScrapeSupported(this.#deps, request)
    const isEnhanced = this.#deps.hasEnhancedProxy && asksForEnhancedProxy(request.proxy)
    return this.#price(request, { isEnhanced, pages: 1 })
  }

  /**
   * Scrapes one page. Throws SCRAPE_*, FORMAT_UNAVAILABLE, INSUFFICIENT_CREDITS, EGRESS_REFUSED,
   * PDF_*.
   */
  async scrape(call: ScrapeCall): Promise<ScrapeOutcome> {
    const { permits } = this.#deps
    const { request, teamId, signal } = call
    const minCredits = this.estimate(request)
    if (call.isPrepaid === true || call.onCommit !== undefined) {
      // A page of a job may wait for a slot indefinitely: its timeout covers only the scrape itself.
      const credits = call.isPrepaid === true ? 0 : minCredits
      await using permit = await permits.acquire({ teamId, credits, waitMs: Infinity, signal })
      using _ = await call.acquireSlot?.()
      return await withTimeout(call, async (limited) => this.#run(call, permit, limited))
    }
    return withTimeout(call, async (limited) => {
      // Leaves a third of the timeout for the scrape itself.
      const waitMs = (request.timeout * 2) / 3
      await using permit = await permits.acquire({ teamId, credits: minCredits, waitMs, signal: limited })
      return await this.#run(call, permit, limited)
    })
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
    return this.#cache.readMany(ids)
  }

  /**
   * Returns a document of the last 24 hours. Throws SCRAPE_NOT_FOUND, or FORBIDDEN if it belongs to
   * another team.
   */
  async read(id: string, teamId: string): Promise<Document> {
    return this.#cache.read(id, teamId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loader[Symbol.asyncDispose]()
    await this.#deps.renderer[Symbol.asyncDispose]()
    await this.#deps.workers[Symbol.asyncDispose]()
  }

  async #run(call: ScrapeCall, permit: Permit, signal: AbortSignal): Promise<ScrapeOutcome> {
    return (await this.#fromCache(call, permit, signal)) ?? (await this.#scrapeFresh(call, permit, signal))
  }

  async #fromCache(call: ScrapeCall, permit: Permit, signal: AbortSignal): Promise<ScrapeOutcome | undefined> {
    const found = await this.#cache.find(call)
    if (found === undefined) return undefined
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
      metadata: { ...metadata, ...sourceMetadata(call, id), ...billingMetadata, ...queueMetadata(permit) },
    }
    const outcome = { id, document, credits }
    await this.#record(call, permit, outcome, { hasFiles: false, secret: randomSecret() })
    return outcome
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

  async #scrapeFresh(call: ScrapeCall, permit: Permit, signal: AbortSignal): Promise<ScrapeOutcome> {
    const { request, teamId, baseUrl } = call
    const { blobs, workers, hasEnhancedProxy } = this.#deps
    const id = call.id ?? uuidV7()
    const secret = randomSecret()
    const files = openScrapeFiles(blobs, { id, baseUrl, secret: request.zeroDataRetention ? undefined : secret })
    try {
      const processPage = createPageProcessor(workers, request, signal)
      const loaded = await loadWithProxy(this.#loader, { request, teamId, signal, processPage }, hasEnhancedProxy)
      if (call.failOnThrottle === true) assertNotThrottled(loaded.page)
      const built = await buildDocument({ ...this.#deps, files, request, teamId, signal, ...loaded })
      const credits = this.#price(request, { isEnhanced: loaded.isEnhanced, pages: built.pages })
      const scrapeMetadata = {
        ...sourceMetadata(call, id),
        ...cacheMissMetadata(request),
        creditsUsed: credits,
        ...queueMetadata(permit),
      }
      const { document } = built
      const outcome = { id, document: { ...document, metadata: { ...document.metadata, ...scrapeMetadata } }, credits }
      const isCacheable = request.storeInCache && loaded.page.statusCode < 400
      const cacheKey = isCacheable ? pageCacheKey(request) : undefined
      const { stored: page } = built
      const about = { body: page.body, screenshotUrl: document.screenshot }
      const pageToCache =
        cacheKey === undefined ? undefined : { cacheKey, page, facts: cacheFactsOf(request, loaded, about) }
      // A caller who has disconnected is not billed.
      signal.throwIfAborted()
      await this.#record(withTrackedState(call, built.saveTrackedState), permit, outcome, {
        pageToCache,
        hasFiles: !files.isEmpty(),
        secret,
      })
      const { markdown } = built
      if (markdown !== '' && isCacheable && !request.zeroDataRetention && !isPersonal(request)) {
        this.#deps.indexPage?.({ teamId, url: loaded.page.url, markdown, metadata: document.metadata })
      }
      return outcome
    } catch (error) {
      // Files left behind are swept later. Report the failure of the scrape.
      await files.discard().catch(() => undefined)
      throw error
    }
  }

  async #record(
    { request, teamId, apiKeyId, prepare, onCommit, isPrepaid = false }: ScrapeCall,
    permit: Permit,
    outcome: ScrapeOutcome,
    row: { readonly pageToCache?: PageToStore | undefined; readonly hasFiles: boolean; readonly secret: string },
  ): Promise<void> {
    const { id, document, credits } = outcome
    const bill = { id, teamId, apiKeyId, credits }
    const packed = request.zeroDataRetention ? undefined : await this.#cache.pack(id, document, row.pageToCache)
    const kept = packed && { ...packed, secret: row.secret, hasBlobs: row.hasFiles || packed.hasBlobs }
    const { db } = this.#deps.store
    const insert = async (transaction: Kysely<Database>): Promise<void> => {
      if (isPrepaid) return kept === undefined ? undefined : insertScrape(transaction, bill, kept)
      // Scrapes without a hold are written in shared commits, unless the caller brings its own
      // transaction.
      if (permit.holdId === undefined && onCommit === undefined)
        return this.#recordWithoutHold(toScrapeWithoutHold(bill, kept))
      // The price of a PDF is known only now, and may exceed the credits of the team.
      if (await recordScrape(transaction, bill, kept, permit.holdId)) return
      throw insufficientCredits(credits, (await availableCredits(transaction, teamId)) ?? 0)
    }
    if (onCommit === undefined) await insert(db)
    else {
      await prepare?.(outcome)
      await db.transaction().execute(async (transaction) => {
        await insert(transaction)
        await onCommit(transaction, outcome)
      })
    }
    if (!isPrepaid) permit.markBilled()
  }

  #price(request: ScrapeRequest, use: { readonly isEnhanced: boolean; readonly pages: number }): number {
    return priceOfScrape(this.#deps.prices, {
      ...use,
      isLlmPriced: request.formats.some(
        (format) => format.type === 'json' || (format.type === 'changeTracking' && format.modes.includes('json')),
      ),
      isLockdown: request.lockdown,
      isZeroRetention: request.zeroDataRetention,
    })
  }
}

/** Saves the state of a tracked page in the same transaction as the scrape. */
function withTrackedState(call: ScrapeCall, saveState: BuiltDocument['saveTrackedState']): ScrapeCall {
  if (saveState === undefined) return call
  const onCommit: ScrapeCall['onCommit'] = async (db, outcome) => {
    await saveState(db)
    await call.onCommit?.(db, outcome)
  }
  return { ...call, onCommit }
}

/** Runs a function with the timeout of a request. Throws SCRAPE_TIMEOUT when it expires. */
async function withTimeout<Result>(call: ScrapeCall, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { url, timeout } = call.request
  const limit = AbortSignal.timeout(timeout)
  try {
    return await run(call.signal === undefined ? limit : AbortSignal.any([limit, call.signal]))
  } catch (error) {
    call.signal?.throwIfAborted()
    const isTimeout = limit.aborted || (isBowlineError(error) && error.code === 'CONCURRENCY_LIMIT')
    if (!isTimeout) throw error
    const { message, hint } = isBowlineError(error) && error.code === 'SCRAPE_TIMEOUT' ? error : {}
    const why = message === undefined ? '' : `: ${message}`
    throw new BowlineError('SCRAPE_TIMEOUT', `${url} was not scraped within ${timeout} ms${why}`, {
      hint,
      cause: error,
    })
  }
}
