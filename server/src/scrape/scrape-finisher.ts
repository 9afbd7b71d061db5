import type { SchemaChecker } from '../json-schema/schema-checker.ts'
import type { Document } from 'bowline/contract/document'
import type { Format } from 'bowline/contract/formats'
import { redactionOf } from 'bowline/contract/redaction'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { randomSecret, uuidV7 } from 'bowline/kit/ids'
import { priceOfScrape, type Prices } from '../billing/prices.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Jail } from '../browsers/jail.ts'
import type { Semaphore } from '../kit/semaphore.ts'
import type { Store } from '../store/store.ts'
import { buildDocument, type BuiltDocument } from './document/build-document.ts'
import { isPersonal, pageCacheKey } from './document/cache-key.ts'
import { cacheFactsOf } from './document/cached-page-facts.ts'
import { openScrapeFiles, withBaseUrl, type ScrapeFiles } from './document/scrape-files.ts'
import { cacheMissMetadata, queueMetadata, sourceMetadata } from './document/scrape-metadata.ts'
import type { IndexPage } from './document/scraped-page.ts'
import type { CachedPage, PageToStore, StoredScrapes } from './document/stored-scrapes.ts'
import type { HtmlProcesses } from './format/html-processes.ts'
import type { LanguageModel } from './format/language-model.ts'
import { hasFormat, isPricedAsExtraction } from './format/model-formats.ts'
import { createPageProcessor } from './format/page-processor.ts'
import type { ProxiedLoad } from './load/load-with-proxy.ts'
import { PricedScrape } from './priced-scrape.ts'
import { replayOf } from './queries/scrape-replay.ts'
import type { StoredScrape } from './queries/scrapes.ts'
import type { ScrapeCall } from './scrape-call.ts'

/** Dependencies of `ScrapeFinisher`. */
export interface ScrapeFinisherDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly workers: HtmlProcesses
  readonly pdfSlots: Semaphore
  /** The bubblewrap around parsers of PDFs and images. Undefined: browsers have none either. */
  readonly jail: Jail | undefined
  readonly prices: Prices
  readonly languageModel: LanguageModel | undefined
  readonly schemas: Pick<SchemaChecker, 'warningAbout'>
  readonly hasEnhancedProxy: boolean
  readonly storedScrapes: StoredScrapes
  readonly indexPage?: IndexPage | undefined
  readonly onError: (error: unknown, action: string) => void
}

/** Turns loaded and cached pages into documents with their price. */
export class ScrapeFinisher {
  readonly #deps: ScrapeFinisherDeps

  constructor(deps: ScrapeFinisherDeps) {
    this.#deps = deps
  }

  /** Builds the document of a page from the cache. */
  async fromCache(call: ScrapeCall, found: CachedPage, signal: AbortSignal): Promise<PricedScrape> {
    const id = call.id ?? uuidV7()
    const { createdAt, facts: pageFacts } = found
    // The page controls its metadata, so the number of billed pages comes from the stored facts.
    const { document: cached, pages } =
      found.kind === 'document'
        ? { document: withBaseUrl(found.document, call.baseUrl), pages: pageFacts.pdf?.readPages ?? 1 }
        : await this.#fromCachedPage(call, found, signal)
    const credits = this.price(call.request, {
      document: cached,
      isEnhanced: pageFacts.isEnhanced && call.request.proxy !== 'basic',
      pages,
    })
    const { concurrencyQueueDurationMs: _, url, ...metadata } = cached.metadata
    const billingMetadata = { cacheState: 'hit' as const, cachedAt: createdAt.toISOString(), creditsUsed: credits }
    const document = {
      ...cached,
      metadata: {
        ...metadata,
        ...(url !== undefined && { url: withFragment(url, { from: pageFacts.fragment, to: call.request.url }) }),
        ...sourceMetadata(call, id),
        ...billingMetadata,
        ...queueMetadata(call),
      },
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

  /** Builds the document of a loaded page, and stores its files. */
  async fromLoaded(call: ScrapeCall, loaded: ProxiedLoad, signal: AbortSignal): Promise<PricedScrape> {
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
    const { document: made, pages } = built
    const credits = this.price(request, { document: made, isEnhanced: loaded.isEnhanced, pages })
    const scrapeMetadata = {
      ...sourceMetadata(call, id),
      ...cacheMissMetadata(request),
      creditsUsed: credits,
      ...queueMetadata(call),
    }
    const document = { ...made, metadata: { ...made.metadata, ...scrapeMetadata } }
    const { statusCode, isUnfinished = false } = loaded.page
    const isCacheable = request.storeInCache && !request.zeroDataRetention && statusCode < 400 && !isUnfinished
    const cacheKey = isCacheable ? pageCacheKey(request) : undefined
    const { markdown, stored: page } = built
    const about = { body: page.body, screenshotUrl: document.screenshot }
    const pageToCache =
      cacheKey === undefined ? undefined : { cacheKey, page, facts: cacheFactsOf(request, loaded, about) }
    signal.throwIfAborted()
    const row = await this.#pack(call, { id, document }, { pageToCache, hasFiles: !files.isEmpty(), secret })
    const isIndexed = markdown !== '' && isCacheable && !isPersonal(request)
    const { metadata } = made
    const isPartial = selectsPart(request)
    const indexPage = (): void =>
      this.#deps.indexPage?.({ teamId, url: loaded.page.url, markdown, metadata, isPartial })
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
    const packed = await this.#deps.storedScrapes.pack(id, document, row.pageToCache)
    return { ...packed, replay: replayOf(request), secret: row.secret, hasBlobs: row.hasFiles || packed.hasBlobs }
  }

  /** Returns the price of a scrape, in credits. Without a document, at most, for one page. */
  price(
    request: ScrapeRequest,
    use: { readonly document?: Document; readonly isEnhanced: boolean; readonly pages: number },
  ): number {
    const { document, isEnhanced, pages } = use
    const isMade = (format: Format): boolean => document === undefined || hasFormat(document, format)
    return priceOfScrape(this.#deps.prices, {
      isEnhanced,
      pages,
      isLlmPriced: request.formats.some((format) => isPricedAsExtraction(format) && isMade(format)),
      isRedacted: redactionOf(request.redactPII) !== undefined,
      isLockdown: request.lockdown,
      isZeroRetention: request.zeroDataRetention,
    })
  }
}

/**
 * Replaces the fragment `from` in the URL of a cached page by that of the URL `to`. Another
 * fragment stays, because a redirect has set it.
 */
function withFragment(
  address: string,
  { from = '', to }: { readonly from: string | undefined; readonly to: string },
): string {
  const url = new URL(address)
  if (url.hash === from) url.hash = new URL(to).hash
  return url.href
}

/** Whether a request selects a part of the page: by CSS selectors, or pages of a PDF. */
function selectsPart({ includeTags, excludeTags, parsers }: ScrapeRequest): boolean {
  const pdf = parsers.find((each) => each.type === 'pdf')
  return includeTags !== undefined || excludeTags !== undefined || pdf === undefined || pdf.maxPages !== undefined
}
