import type { Document } from 'bowline/contract/document'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { createBatcher } from '../kit/create-batcher.ts'
import { randomSecret, uuidV7 } from 'bowline/kit/ids'
import type { Semaphore } from '../kit/semaphore.ts'
import type { Kysely } from 'kysely'
import type { Blobs } from '../store/blobs.ts'
import { recordUnmetered, toUnmetered, type UnmeteredScrape } from '../store/record-unmetered.ts'
import type { Database } from '../store/schema.ts'
import { insertScrape, recordScrape } from '../store/scrapes.ts'
import type { Store } from '../store/store.ts'
import { availableCredits } from '../store/teams.ts'
import { priceOfScrape, type Prices } from '../usage/prices.ts'
import { insufficientCredits, type Permit, type WorkPermits } from '../usage/work-permits.ts'
import { assertNotThrottled } from './fetch/assert-not-throttled.ts'
import { assertAvailable } from './check-request.ts'
import { isPersonal, pageKeyOf } from './document/cache-key.ts'
import { Cache, type CachedPage, type PageToStore } from './document/cache.ts'
import { finishDocument, type FinishedDocument } from './document/build-document.ts'
import type { LanguageModel } from './format/language-model.ts'
import { isEnhancedProxy, loadByProxy } from './load/load-with-proxy.ts'
import { PageLoader, type LoaderDeps } from './load/page-loader.ts'
import { readLoaded } from './format/process-page.ts'
import { missOf, sourceOf, waitOf } from './document/scrape-metadata.ts'
import { atBase, openFileKeeper } from './document/scrape-files.ts'
import type { OnScraped } from './document/on-scraped.ts'
import { factsOf } from './document/cached-page.ts'
import type { Workers } from './format/html-workers.ts'

/** What scrapes are made with. */
export interface ScrapesDeps extends LoaderDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly workers: Workers
  /** Places to read PDFs in. */
  readonly pdfSlots: Semaphore
  readonly prices: Prices
  readonly permits: Pick<WorkPermits, 'acquire'>
  /** Undefined: the formats that need one are refused. */
  readonly languageModel: LanguageModel | undefined
  readonly hasEnhancedProxy: boolean
  readonly onScraped?: OnScraped | undefined
}

/** One page to scrape, and for whom. */
export interface ScrapeCall {
  readonly request: ScrapeRequest
  /** The address as the caller wrote it. Default: that of the request. */
  readonly sourceUrl?: string | undefined
  readonly teamId: string
  readonly apiKeyId: string
  /** Address of this server as its client knows it, without trailing slash. */
  readonly baseUrl: string
  /** Aborting stops the scrape: nothing is billed. */
  readonly signal?: AbortSignal | undefined
  /** Whether the caller bills: nothing is set aside here, and nothing entered in the ledger. Default false. */
  readonly isPrepaid?: boolean | undefined
  /** Id of the scrape, under which it is billed once. Default: a new one. */
  readonly id?: string | undefined
  /** Done before that transaction begins. What it throws ends the scrape, and nothing is billed. Only with `alongside`. */
  readonly prepare?: ((outcome: ScrapeOutcome) => Promise<void>) | undefined
  /** Done in the transaction that enters the scrape and its bill: what it throws undoes them. */
  readonly onCommit?: ((db: Kysely<Database>, outcome: ScrapeOutcome) => Promise<void>) | undefined
  /** Called once the team may work; what it answers is disposed of with the end of the scrape. Only with `alongside`. */
  readonly acquireSlot?: (() => Promise<Disposable>) | undefined
  /** Whether a page that asks to be left alone for a while (429, 503) is an error, and costs nothing. Default false. */
  readonly failOnThrottle?: boolean | undefined
}

/** What a scrape came to. */
export interface ScrapeOutcome {
  readonly id: string
  readonly document: Document
  readonly credits: number
}

/** Scrapes pages: loads, reads, stores and bills them. Disposing ends what it has open. */
export class Scrapes implements AsyncDisposable {
  readonly #deps: ScrapesDeps
  readonly #loader: PageLoader
  readonly #cache: Cache
  readonly #recordUnmetered: (scrape: UnmeteredScrape) => Promise<void>

  constructor(deps: ScrapesDeps) {
    this.#deps = deps
    this.#loader = new PageLoader(deps)
    this.#cache = new Cache(deps)
    // The embedded store takes one commit at a time: those that wait share the next one.
    this.#recordUnmetered = createBatcher(async (scrapes) => recordUnmetered(deps.store.db, scrapes))
  }

  /** The least that a scrape costs. Throws FORMAT_UNAVAILABLE, BAD_REQUEST when it can come to nothing here. */
  estimate(request: ScrapeRequest): number {
    assertAvailable(this.#deps, request)
    const isEnhanced = this.#deps.hasEnhancedProxy && isEnhancedProxy(request.proxy)
    return this.#price(request, { isEnhanced, pages: 1 })
  }

  /** Scrapes one page. Throws SCRAPE_*, FORMAT_UNAVAILABLE, INSUFFICIENT_CREDITS, EGRESS_REFUSED, PDF_*. */
  async scrape(call: ScrapeCall): Promise<ScrapeOutcome> {
    const { permits } = this.#deps
    const { request, teamId, signal } = call
    const least = this.estimate(request)
    if (call.isPrepaid === true || call.onCommit !== undefined) {
      // A page of a batch may stand in line as long as it takes: only its own time counts.
      const credits = call.isPrepaid === true ? 0 : least
      await using permit = await permits.acquire({ teamId, credits, waitMs: Infinity, signal })
      using _ = await call.acquireSlot?.()
      return await inTime(call, async (limited) => this.#work(call, permit, limited))
    }
    return inTime(call, async (limited) => {
      const waitMs = (request.timeout * 2) / 3
      await using permit = await permits.acquire({ teamId, credits: least, waitMs, signal: limited })
      return await this.#work(call, permit, limited)
    })
  }

  /** Throws what `scrape` would throw before any work: FORMAT_UNAVAILABLE, BAD_REQUEST. */
  check(request: ScrapeRequest): void {
    assertAvailable(this.#deps, request)
  }

  /** A page as its readers see it, rendered if need be; nothing is kept or billed. Undefined: it is no HTML. Throws SCRAPE_*, EGRESS_REFUSED. */
  async show(
    request: Omit<ScrapeRequest, 'profile'>,
    signal: AbortSignal,
  ): Promise<{ readonly url: string; readonly html: string } | undefined> {
    const read = readLoaded(this.#deps.workers, request, signal)
    // Only profiles belong to teams.
    const { page } = await this.#loader.load({ request, teamId: '', signal, read }, 'basic')
    return page.body.kind === 'html' ? { url: page.url, html: page.body.html } : undefined
  }

  /** The documents of scrapes, by id. Those that are not there any more are left out. Whose they are is not asked. */
  async readMany(ids: readonly string[]): Promise<ReadonlyMap<string, Document>> {
    return this.#cache.readMany(ids)
  }

  /** Reads a scrape of the last 24 hours. Throws SCRAPE_NOT_FOUND, and FORBIDDEN when it is another team's. */
  async read(id: string, teamId: string): Promise<Document> {
    return this.#cache.read(id, teamId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loader[Symbol.asyncDispose]()
    await this.#deps.renderer[Symbol.asyncDispose]()
    await this.#deps.workers[Symbol.asyncDispose]()
  }

  async #work(call: ScrapeCall, permit: Permit, signal: AbortSignal): Promise<ScrapeOutcome> {
    return (await this.#fromCache(call, permit, signal)) ?? (await this.#anew(call, permit, signal))
  }

  async #fromCache(call: ScrapeCall, permit: Permit, signal: AbortSignal): Promise<ScrapeOutcome | undefined> {
    const found = await this.#cache.find(call)
    if (found === undefined) return undefined
    const id = call.id ?? uuidV7()
    const { createdAt, facts: stored } = found
    // What a page says of itself in its metadata is no base for a bill.
    const { document: made, pages } =
      found.kind === 'answer'
        ? { document: atBase(found.document, call.baseUrl), pages: stored.pdf?.readPages ?? 1 }
        : await this.#fromPage(call, found, signal)
    const credits = this.#price(call.request, {
      isEnhanced: stored.isEnhanced && call.request.proxy !== 'basic',
      pages,
    })
    const { concurrencyQueueDurationMs: _, ...metadata } = made.metadata
    const facts = { cacheState: 'hit' as const, cachedAt: createdAt.toISOString(), creditsUsed: credits }
    const document = { ...made, metadata: { ...metadata, ...sourceOf(call, id), ...facts, ...waitOf(permit) } }
    const outcome = { id, document, credits }
    await this.#record(call, permit, outcome, { hasFiles: false, secret: randomSecret() })
    return outcome
  }

  /** Makes the answer to a request from a page that was stored with other options. */
  async #fromPage(
    { request, teamId, baseUrl }: ScrapeCall,
    { page, facts }: Extract<CachedPage, { readonly kind: 'page' }>,
    signal: AbortSignal,
  ): Promise<Pick<FinishedDocument, 'document' | 'pages'>> {
    const reading = await readLoaded(this.#deps.workers, request, signal)(page)
    const loaded = { page, reading, isEnhanced: facts.isEnhanced, isRendered: facts.rendering !== undefined }
    const files = openFileKeeper(this.#deps.blobs, { id: '', baseUrl, secret: undefined })
    const { document, pages } = await finishDocument({ ...this.#deps, files, request, teamId, signal, ...loaded })
    const wantsPicture = request.formats.some(({ type }) => type === 'screenshot')
    const screenshot = wantsPicture ? facts.screenshot?.url : undefined
    return { document: screenshot === undefined ? document : atBase({ ...document, screenshot }, baseUrl), pages }
  }

  async #anew(call: ScrapeCall, permit: Permit, signal: AbortSignal): Promise<ScrapeOutcome> {
    const { request, teamId, baseUrl } = call
    const { blobs, workers, hasEnhancedProxy } = this.#deps
    const id = call.id ?? uuidV7()
    const secret = randomSecret()
    const files = openFileKeeper(blobs, { id, baseUrl, secret: request.zeroDataRetention ? undefined : secret })
    try {
      const read = readLoaded(workers, request, signal)
      const loaded = await loadByProxy(this.#loader, { request, teamId, signal, read }, hasEnhancedProxy)
      if (call.failOnThrottle === true) assertNotThrottled(loaded.page)
      const finished = await finishDocument({ ...this.#deps, files, request, teamId, signal, ...loaded })
      const credits = this.#price(request, { isEnhanced: loaded.isEnhanced, pages: finished.pages })
      const facts = { ...sourceOf(call, id), ...missOf(request), creditsUsed: credits, ...waitOf(permit) }
      const { document } = finished
      const outcome = { id, document: { ...document, metadata: { ...document.metadata, ...facts } }, credits }
      const isStored = request.storeInCache && loaded.page.statusCode < 400
      const cacheKey = isStored ? pageKeyOf(request) : undefined
      const { stored: page } = finished
      const about = { body: page.body, screenshotUrl: document.screenshot }
      const stored = cacheKey === undefined ? undefined : { cacheKey, page, facts: factsOf(request, loaded, about) }
      // Whoever has left by now gets no bill for what they will not see.
      signal.throwIfAborted()
      await this.#record(withKeeping(call, finished.keep), permit, outcome, {
        stored,
        hasFiles: !files.isEmpty(),
        secret,
      })
      const { markdown } = finished
      if (markdown !== '' && isStored && !request.zeroDataRetention && !isPersonal(request)) {
        this.#deps.onScraped?.({ teamId, url: loaded.page.url, markdown, metadata: document.metadata })
      }
      return outcome
    } catch (error) {
      // What is left behind is swept; the failure of the scrape is what counts.
      await files.discard().catch(() => undefined)
      throw error
    }
  }

  async #record(
    { request, teamId, apiKeyId, prepare, onCommit, isPrepaid = false }: ScrapeCall,
    permit: Permit,
    outcome: ScrapeOutcome,
    row: { readonly stored?: PageToStore | undefined; readonly hasFiles: boolean; readonly secret: string },
  ): Promise<void> {
    const { id, document, credits } = outcome
    const bill = { id, teamId, apiKeyId, credits }
    const packed = request.zeroDataRetention ? undefined : await this.#cache.pack(id, document, row.stored)
    const kept = packed && { ...packed, secret: row.secret, hasBlobs: row.hasFiles || packed.hasBlobs }
    const { db: store } = this.#deps.store
    const acquireSlot = async (db: Kysely<Database>): Promise<void> => {
      if (isPrepaid) return kept === undefined ? undefined : insertScrape(db, bill, kept)
      // What others enter together is no part of this transaction.
      if (permit.holdId === undefined && onCommit === undefined) return this.#recordUnmetered(toUnmetered(bill, kept))
      // A PDF may have more pages than the team can pay for, which shows only now.
      if (await recordScrape(db, bill, kept, permit.holdId)) return
      throw insufficientCredits(credits, (await availableCredits(db, teamId)) ?? 0)
    }
    if (onCommit === undefined) await acquireSlot(store)
    else {
      await prepare?.(outcome)
      await store.transaction().execute(async (db) => {
        await acquireSlot(db)
        await onCommit(db, outcome)
      })
    }
    if (!isPrepaid) permit.settled()
  }

  #price(request: ScrapeRequest, use: { readonly isEnhanced: boolean; readonly pages: number }): number {
    return priceOfScrape(this.#deps.prices, {
      ...use,
      isExtracted: request.formats.some(
        (format) => format.type === 'json' || (format.type === 'changeTracking' && format.modes.includes('json')),
      ),
      isLockdown: request.lockdown,
      isZeroRetention: request.zeroDataRetention,
    })
  }
}

/** A call that has something more kept with its scrape. */
function withKeeping(call: ScrapeCall, keep: FinishedDocument['keep']): ScrapeCall {
  if (keep === undefined) return call
  const onCommit: ScrapeCall['onCommit'] = async (db, outcome) => {
    await keep(db)
    await call.onCommit?.(db, outcome)
  }
  return { ...call, onCommit }
}

/** Runs work within the timeout of a request. Throws SCRAPE_TIMEOUT. */
async function inTime<Result>(call: ScrapeCall, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { url, timeout } = call.request
  const limit = AbortSignal.timeout(timeout)
  try {
    return await work(call.signal === undefined ? limit : AbortSignal.any([limit, call.signal]))
  } catch (error) {
    call.signal?.throwIfAborted()
    const isLate = limit.aborted || (isBowlineError(error) && error.code === 'CONCURRENCY_LIMIT')
    if (!isLate) throw error
    const { message, hint } = isBowlineError(error) && error.code === 'SCRAPE_TIMEOUT' ? error : {}
    const why = message === undefined ? '' : `: ${message}`
    throw new BowlineError('SCRAPE_TIMEOUT', `${url} was not scraped within ${timeout} ms${why}`, {
      hint,
      cause: error,
    })
  }
}
