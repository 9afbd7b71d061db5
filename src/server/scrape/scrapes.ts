import type { Document } from '../../contract/document.ts'
import type { ScrapeRequest } from '../../contract/scrape.ts'
import { BowlineError } from '../../kit/errors.ts'
import { randomSecret, uuidV7 } from '../../kit/ids.ts'
import type { Blobs } from '../store/blobs.ts'
import { keepScrape, recordScrape } from '../store/scrapes.ts'
import type { Store } from '../store/store.ts'
import { priceOfScrape, type Prices } from '../usage/prices.ts'
import { assertAvailable } from './available.ts'
import { cacheKeyOf, isPersonal } from './cache-key.ts'
import { Cache } from './cache.ts'
import { Credits } from './credits.ts'
import { finishDocument } from './finish-document.ts'
import type { LanguageModel } from './formats/language-model.ts'
import { loadByProxy } from './load-by-proxy.ts'
import { PageLoader, type LoaderParts } from './load-page.ts'
import { readLoaded } from './read-loaded.ts'
import { openFileKeeper } from './scrape-files.ts'
import type { OnScraped } from './scraped-page.ts'
import type { Workers } from './workers.ts'

/** What scrapes are made with. */
export interface ScrapesParts extends LoaderParts {
  readonly store: Store
  readonly blobs: Blobs
  readonly workers: Workers
  readonly prices: Prices
  /** Undefined: the formats that need one are refused. */
  readonly languageModel: LanguageModel | undefined
  readonly hasEnhancedProxy: boolean
  readonly onScraped?: OnScraped | undefined
}

/** One page to scrape, and for whom. */
export interface ScrapeCall {
  readonly request: ScrapeRequest
  readonly teamId: string
  readonly apiKeyId: string
  /** Address of this server as its client knows it, without trailing slash. */
  readonly baseUrl: string
  /** Aborting stops the scrape: nothing is billed. */
  readonly signal?: AbortSignal | undefined
  /** Whether the caller bills: nothing is set aside here, and nothing entered in the ledger. Default false. */
  readonly isPrepaid?: boolean | undefined
}

/** What a scrape came to. */
export interface ScrapeOutcome {
  readonly id: string
  readonly document: Document
  readonly credits: number
}

/** Scrapes pages: loads, reads, stores and bills them. Disposing ends what it has open. */
export class Scrapes implements AsyncDisposable {
  readonly #parts: ScrapesParts
  readonly #loader: PageLoader
  readonly #cache: Cache
  readonly #credits: Credits

  constructor(parts: ScrapesParts) {
    this.#parts = parts
    this.#loader = new PageLoader(parts)
    this.#cache = new Cache(parts)
    this.#credits = new Credits(parts.store)
  }

  /** The least that a scrape costs. Throws FORMAT_UNAVAILABLE, PROXY_UNAVAILABLE, BAD_REQUEST when it can come to nothing here. */
  estimate(request: ScrapeRequest): number {
    assertAvailable(this.#parts, request)
    return this.#price(request, { isEnhanced: false, pages: 1 })
  }

  /** Scrapes one page. Throws SCRAPE_*, FORMAT_UNAVAILABLE, PROXY_UNAVAILABLE, INSUFFICIENT_CREDITS, EGRESS_REFUSED, PDF_*. */
  async scrape(call: ScrapeCall): Promise<ScrapeOutcome> {
    const { request, teamId } = call
    const least = this.estimate(request)
    using _ = call.isPrepaid === true ? undefined : await this.#credits.hold(teamId, least)
    const limit = AbortSignal.timeout(request.timeout)
    const signal = call.signal === undefined ? limit : AbortSignal.any([limit, call.signal])
    try {
      return (await this.#fromCache(call)) ?? (await this.#anew(call, signal))
    } catch (error) {
      call.signal?.throwIfAborted()
      if (!limit.aborted) throw error
      throw new BowlineError('SCRAPE_TIMEOUT', `${request.url} was not scraped within ${request.timeout} ms`, {
        cause: error,
      })
    }
  }

  /** Reads a scrape of the last 24 hours. Throws SCRAPE_NOT_FOUND, and FORBIDDEN when it is another team's. */
  async read(id: string, teamId: string): Promise<Document> {
    return this.#cache.read(id, teamId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loader[Symbol.asyncDispose]()
    await this.#parts.renderer[Symbol.asyncDispose]()
    await this.#parts.workers[Symbol.asyncDispose]()
  }

  async #fromCache(call: ScrapeCall): Promise<ScrapeOutcome | undefined> {
    const found = await this.#cache.find(call)
    if (found === undefined) return undefined
    const id = uuidV7()
    const { createdAt, document: stored } = found
    const pages = Number(stored.metadata['numPages'] ?? 1)
    const credits = this.#price(call.request, { isEnhanced: stored.metadata.proxyUsed === 'stealth', pages })
    const facts = { scrapeId: id, cacheState: 'hit' as const, cachedAt: createdAt.toISOString(), creditsUsed: credits }
    const document = { ...stored, metadata: { ...stored.metadata, ...facts } }
    await this.#record(
      call,
      { id, document, credits },
      { cacheKey: undefined, hasBlobs: false, secret: randomSecret() },
    )
    return { id, document, credits }
  }

  async #anew(call: ScrapeCall, signal: AbortSignal): Promise<ScrapeOutcome> {
    const { request, teamId, baseUrl } = call
    const { store, blobs, workers, languageModel, hasEnhancedProxy } = this.#parts
    const id = uuidV7()
    const secret = randomSecret()
    const files = openFileKeeper(blobs, { id, baseUrl, secret: request.zeroDataRetention ? undefined : secret })
    try {
      const read = readLoaded(workers, request, signal)
      const loaded = await loadByProxy(this.#loader, { request, teamId, signal, read }, hasEnhancedProxy)
      const finished = await finishDocument({ store, languageModel, files, request, teamId, signal, ...loaded })
      const credits = this.#price(request, { isEnhanced: loaded.isEnhanced, pages: finished.pages })
      const facts = { scrapeId: id, cacheState: 'miss' as const, creditsUsed: credits }
      const { document } = finished
      const outcome = { id, document: { ...document, metadata: { ...document.metadata, ...facts } }, credits }
      const isStored = request.storeInCache && loaded.page.statusCode < 400
      const cacheKey = isStored ? cacheKeyOf(request) : undefined
      // Whoever has left by now gets no bill for what they will not see.
      signal.throwIfAborted()
      await this.#record(call, outcome, { cacheKey, hasBlobs: !files.isEmpty(), secret })
      const { markdown } = finished
      if (markdown !== '' && isStored && !request.zeroDataRetention && !isPersonal(request)) {
        this.#parts.onScraped?.({ teamId, url: loaded.page.url, markdown, metadata: document.metadata })
      }
      return outcome
    } catch (error) {
      // What is left behind is swept; the failure of the scrape is what counts.
      await files.discard().catch(() => undefined)
      throw error
    }
  }

  async #record(
    { request, teamId, apiKeyId, isPrepaid = false }: ScrapeCall,
    { id, document, credits }: ScrapeOutcome,
    row: { readonly cacheKey: string | undefined; readonly hasBlobs: boolean; readonly secret: string },
  ): Promise<void> {
    const { db } = this.#parts.store
    const bill = { id, teamId, apiKeyId, credits }
    if (request.zeroDataRetention) return isPrepaid ? undefined : recordScrape(db, bill, undefined)
    const kept = await this.#cache.pack(id, document)
    const whole = { ...row, document: kept, hasBlobs: row.hasBlobs || kept === undefined }
    await (isPrepaid ? keepScrape(db, bill, whole) : recordScrape(db, bill, whole))
  }

  #price(request: ScrapeRequest, use: { readonly isEnhanced: boolean; readonly pages: number }): number {
    return priceOfScrape(this.#parts.prices, {
      ...use,
      isExtracted: request.formats.some(
        (format) => format.type === 'json' || (format.type === 'changeTracking' && format.modes.includes('json')),
      ),
      isEnhanced: use.isEnhanced || request.proxy === 'enhanced' || request.proxy === 'stealth',
      isLockdown: request.lockdown,
      isZeroRetention: request.zeroDataRetention,
    })
  }
}
