import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Document } from 'bowline/contract/document'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { dayMs } from 'bowline/kit/day-ms'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid } from 'bowline/kit/ids'
import type { Blobs } from '../../blobs/blobs.ts'
import {
  findReplay,
  findScrape,
  findScrapes,
  findStoredPages,
  readStoredPage,
  type StoredScrape,
  type ScrapeRow,
  type StoredPageRow,
} from '../queries/scrapes.ts'
import type { MetricRecorder } from '../../metrics/metrics.ts'
import type { Store } from '../../store/store.ts'
import { orUndefined } from '../../store/tables/json-table.ts'
import { requestKey, pageCacheKey } from './cache-key.ts'
import type { LoadedPage } from '../fetch/loaded-page.ts'
import { packDocument, unpackDocument } from './pack-document.ts'
import { blobKey, scrapeTtlMs } from './scrape-files.ts'
import type { ScrapeReplay } from '../queries/scrape-replay.ts'
import type { CachedPageFacts } from '../queries/page-facts.ts'
import { canServe } from './cached-page-facts.ts'
import { packPage, unpackPage } from './pack-page.ts'

/** How long pages stay in the cache, in milliseconds. */
export const cacheTtlMs = 2 * dayMs

/** Maximum size of a packed document in its row, in bytes. Larger ones become blobs. */
const maxRowBytes = 64_000

const documentName = 'document.json'

const pageName = 'page'

/** A cached page: the document of a scrape with the same options, or the page as loaded. */
export type CachedPage = { readonly createdAt: Date; readonly facts: CachedPageFacts } & (
  | { readonly kind: 'document'; readonly document: Document }
  | { readonly kind: 'page'; readonly page: LoadedPage }
)

/** A page to store with the document that was made from it. */
export interface PageToStore {
  readonly cacheKey: string
  readonly facts: CachedPageFacts
  readonly page: LoadedPage
}

/** Dependencies of `StoredScrapes`. */
export interface StoredScrapesDeps {
  readonly store: Store
  readonly blobs: Blobs
  /** Whether a request is loaded through the enhanced proxy at its first attempt. */
  readonly usesEnhancedProxy: (request: ScrapeRequest, signal: AbortSignal) => Promise<boolean>
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
  readonly onError: (error: unknown, action: string) => void
}

/** Stores documents and their pages, and finds them for later scrapes. */
export class StoredScrapes {
  readonly #deps: StoredScrapesDeps

  constructor(deps: StoredScrapesDeps) {
    this.#deps = deps
  }

  /**
   * Finds a cached page for a request. Resolves to undefined if the page must be scraped.
   * Throws SCRAPE_LOCKDOWN_CACHE_MISS, SCRAPE_NO_CACHED_DATA.
   */
  async find({
    request,
    teamId,
    signal,
  }: {
    readonly request: ScrapeRequest
    readonly teamId: string
    readonly signal: AbortSignal
  }): Promise<CachedPage | undefined> {
    const { maxAge, minAge, lockdown, url, formats } = request
    const isCacheOnly = lockdown || minAge !== undefined
    // Change tracking compares the page as it is now.
    const isTracked = formats.some(({ type }) => type === 'changeTracking')
    const cacheKey = isTracked ? undefined : pageCacheKey(request)
    const nowMs = Date.now()
    // Screenshots expire before pages do.
    const ttlMs = formats.some(({ type }) => type === 'screenshot') ? scrapeTtlMs : cacheTtlMs
    const ageMs = isCacheOnly ? ttlMs : Math.min(maxAge, ttlMs)
    if (cacheKey !== undefined && ageMs > (minAge ?? 0)) {
      // A request that reads only from the cache uses no proxy.
      const needsEnhanced = !isCacheOnly && (await this.#deps.usesEnhancedProxy(request, signal))
      const range = { from: new Date(nowMs - ageMs), until: new Date(nowMs - (minAge ?? 0)) }
      const rows = await findStoredPages(this.#deps.store.db, { teamId, cacheKey, ...range }, (error) =>
        this.#deps.onError(error, `looking for ${url} in the cache`),
      )
      const found = await this.#read(rows, request, needsEnhanced)
      this.#deps.metrics?.increment('bowline_scrape_cache_requests_total', {
        result: found === undefined ? 'miss' : 'hit',
      })
      if (found !== undefined) return found
    } else {
      this.#deps.metrics?.increment('bowline_scrape_cache_requests_total', { result: 'skipped' })
    }
    if (lockdown) throw new BowlineError('SCRAPE_LOCKDOWN_CACHE_MISS', `${url} is not cached with these options`)
    if (minAge === undefined) return undefined
    throw new BowlineError(
      'SCRAPE_NO_CACHED_DATA',
      `${url} has not been cached with these options for ${minAge} ms or longer`,
    )
  }

  /** Reads the newest cached page that can serve a request. */
  async #read(
    rows: readonly StoredPageRow[],
    request: ScrapeRequest,
    needsEnhanced: boolean,
  ): Promise<CachedPage | undefined> {
    const key = requestKey(request)
    for (const { id, createdAt, pageFacts: facts } of rows) {
      if (!canServe(facts, request, needsEnhanced)) continue
      if (facts.answerKey !== key) {
        return { createdAt, facts, kind: 'page', page: await unpackPage(id, await this.#packedPage(id)) }
      }
      const row = await findScrape(this.#deps.store.db, id)
      if (row !== undefined) return { createdAt, facts, kind: 'document', document: await this.#unpack(row) }
    }
    return undefined
  }

  async #packedPage(id: string): Promise<Buffer> {
    return (await readStoredPage(this.#deps.store.db, id)) ?? buffer(await this.#deps.blobs.read(blobKey(id, pageName)))
  }

  /**
   * Reads the document of a scrape. Throws BAD_REQUEST for an invalid id, SCRAPE_NOT_FOUND,
   * FORBIDDEN.
   */
  async read(id: string, teamId: string): Promise<Document> {
    return this.#unpack(await this.#find(id, teamId))
  }

  /** Reads how a page was loaded. Undefined if that was not stored. Throws like `read`. */
  async readReplay(id: string, teamId: string): Promise<ScrapeReplay | undefined> {
    await this.#find(id, teamId)
    return findReplay(this.#deps.store.db, id)
  }

  async #find(id: string, teamId: string): Promise<ScrapeRow> {
    if (!isUuid(id)) throw new BowlineError('BAD_REQUEST', 'Invalid job ID format. Job ID must be a valid UUID.')
    const row = await findScrape(this.#deps.store.db, id)
    if (row === undefined || Date.now() - row.createdAt.getTime() > scrapeTtlMs) {
      throw new BowlineError('SCRAPE_NOT_FOUND', 'Job not found.')
    }
    // The API defines 403 here, unlike for jobs and monitors. It reveals that the id exists, but
    // ids are unguessable.
    if (row.teamId !== teamId) throw new BowlineError('FORBIDDEN', 'Forbidden.')
    return row
  }

  /**
   * Finds documents by scrape id. Each is unpacked by its function, because together they can take
   * gigabytes. It returns undefined for a document that cannot be read. Deleted scrapes are
   * missing.
   */
  async findMany(ids: readonly string[]): Promise<ReadonlyMap<string, () => Promise<Document | undefined>>> {
    const rows = await findScrapes(this.#deps.store.db, ids)
    const onError = (error: unknown): void => this.#deps.onError(error, 'reading documents')
    return new Map(rows.map((row) => [row.id, async () => orUndefined(this.#unpack(row), onError)]))
  }

  /**
   * Packs a document and its page for storing. Parts that are too large for a row are written as
   * blobs.
   */
  async pack(
    id: string,
    document: Document,
    stored: PageToStore | undefined,
  ): Promise<Pick<StoredScrape, 'cacheKey' | 'document' | 'page' | 'pageFacts' | 'hasBlobs'>> {
    const page = stored?.facts.isPageStored === true ? packPage(stored.page) : undefined
    const [packedDocument, packedPage] = await Promise.all([packDocument(document), page])
    const inRow = {
      document: await this.#fit(blobKey(id, documentName), packedDocument),
      page: packedPage && (await this.#fit(blobKey(id, pageName), packedPage)),
    }
    const hasBlobs = inRow.document === undefined || (packedPage !== undefined && inRow.page === undefined)
    return { ...inRow, hasBlobs, cacheKey: stored?.cacheKey, pageFacts: stored?.facts }
  }

  async #fit(key: string, bytes: Buffer): Promise<Buffer | undefined> {
    if (bytes.length <= maxRowBytes) return bytes
    await this.#deps.blobs.write(key, Readable.from([bytes]))
    return undefined
  }

  async #unpack({ id, document }: ScrapeRow): Promise<Document> {
    const packed = document ?? (await buffer(await this.#deps.blobs.read(blobKey(id, documentName))))
    return unpackDocument(id, packed)
  }
}
