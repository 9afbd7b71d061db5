import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Document } from 'bowline/contract/document'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid } from 'bowline/kit/ids'
import type { Blobs } from '../../store/blobs.ts'
import {
  findScrape,
  findScrapes,
  findStoredPages,
  readStoredPage,
  type StoredScrape,
  type ScrapeRow,
  type StoredPageRow,
} from '../../store/scrapes.ts'
import type { Store } from '../../store/store.ts'
import { answerKeyOf, pageKeyOf } from './cache-key.ts'
import type { LoadedPage } from '../fetch/loaded-page.ts'
import { packDocument, unpackDocument } from './pack-document.ts'
import { blobKey, scrapeLifeMs } from './scrape-files.ts'
import { packPage, serves, unpackPage, type PageFacts } from './cached-page.ts'

/** How long pages are kept for other scrapes, in milliseconds. */
export const cacheLifeMs = 2 * 86_400_000

/** Bytes of a packed document that fit into a row; a larger one becomes a blob. */
const maxRowBytes = 64_000

const documentName = 'document.json'

const pageName = 'page'

/** A page that was stored: with the answer to the same options, or as it was loaded. */
export type CachedPage = { readonly createdAt: Date; readonly facts: PageFacts } & (
  | { readonly kind: 'answer'; readonly document: Document }
  | { readonly kind: 'page'; readonly page: LoadedPage }
)

/** A page to store beside the answer that was made from it. */
export interface PageToStore {
  readonly cacheKey: string
  readonly facts: PageFacts
  readonly page: LoadedPage
}

/** Finds pages that were scraped before. */
export class Cache {
  readonly #store: Store
  readonly #blobs: Blobs

  constructor({ store, blobs }: { readonly store: Store; readonly blobs: Blobs }) {
    this.#store = store
    this.#blobs = blobs
  }

  /**
   * The page that a request may be answered with; undefined when it is to be scraped.
   * Throws SCRAPE_LOCKDOWN_CACHE_MISS, SCRAPE_NO_CACHED_DATA.
   */
  async find({
    request,
    teamId,
  }: {
    readonly request: ScrapeRequest
    readonly teamId: string
  }): Promise<CachedPage | undefined> {
    const { maxAge, minAge, lockdown, url, formats } = request
    const isStored = lockdown || minAge !== undefined
    // Changes are those of the page as it is now.
    const isTracked = formats.some(({ type }) => type === 'changeTracking')
    const cacheKey = isTracked ? undefined : pageKeyOf(request)
    const nowMs = Date.now()
    // A picture is kept for a shorter time than the page that shows it.
    const lifeMs = formats.some(({ type }) => type === 'screenshot') ? scrapeLifeMs : cacheLifeMs
    const ageMs = isStored ? lifeMs : Math.min(maxAge, lifeMs)
    if (cacheKey !== undefined && ageMs > 0) {
      const range = { from: new Date(nowMs - ageMs), until: new Date(nowMs - (minAge ?? 0)) }
      const found = await this.#read(await findStoredPages(this.#store.db, { teamId, cacheKey, ...range }), request)
      if (found !== undefined) return found
    }
    if (lockdown) throw new BowlineError('SCRAPE_LOCKDOWN_CACHE_MISS', `${url} is not stored with these options`)
    if (minAge === undefined) return undefined
    throw new BowlineError(
      'SCRAPE_NO_CACHED_DATA',
      `${url} is not stored with these options for ${minAge} ms or longer`,
    )
  }

  /** The newest of stored pages that serves a request. */
  async #read(rows: readonly StoredPageRow[], request: ScrapeRequest): Promise<CachedPage | undefined> {
    const answerKey = answerKeyOf(request)
    for (const { id, createdAt, pageFacts } of rows) {
      const facts = JSON.parse(pageFacts) as PageFacts
      if (!serves(facts, request)) continue
      if (facts.answerKey !== answerKey) {
        return { createdAt, facts, kind: 'page', page: await unpackPage(await this.#packedPage(id)) }
      }
      const row = await findScrape(this.#store.db, id)
      if (row !== undefined) return { createdAt, facts, kind: 'answer', document: await this.#unpack(row) }
    }
    return undefined
  }

  async #packedPage(id: string): Promise<Buffer> {
    return (await readStoredPage(this.#store.db, id)) ?? buffer(await this.#blobs.read(blobKey(id, pageName)))
  }

  /** The scrape with this id. Throws BAD_REQUEST for what is no id, SCRAPE_NOT_FOUND, FORBIDDEN. */
  async read(id: string, teamId: string): Promise<Document> {
    if (!isUuid(id)) throw new BowlineError('BAD_REQUEST', 'Invalid job ID format. Job ID must be a valid UUID.')
    const row = await findScrape(this.#store.db, id)
    if (row === undefined || Date.now() - row.createdAt.getTime() > scrapeLifeMs) {
      throw new BowlineError('SCRAPE_NOT_FOUND', 'Job not found.')
    }
    // The API defines 403 here, unlike for jobs and monitors. It reveals that the id exists, but ids are unguessable.
    if (row.teamId !== teamId) throw new BowlineError('FORBIDDEN', 'Forbidden.')
    return this.#unpack(row)
  }

  /** The documents of scrapes, by id. Those that are not there any more are left out. */
  async readMany(ids: readonly string[]): Promise<ReadonlyMap<string, Document>> {
    const rows = await findScrapes(this.#store.db, ids)
    return new Map(await Promise.all(rows.map(async (row) => [row.id, await this.#unpack(row)] as const)))
  }

  /** What is kept of a scrape, packed; what is too large for its row becomes blobs. */
  async pack(
    id: string,
    document: Document,
    stored: PageToStore | undefined,
  ): Promise<Pick<StoredScrape, 'cacheKey' | 'document' | 'page' | 'pageFacts' | 'hasBlobs'>> {
    const page = stored?.facts.isWhole === true ? packPage(stored.page) : undefined
    const [packedDocument, packedPage] = await Promise.all([packDocument(document), page])
    const inRow = {
      document: await this.#fit(blobKey(id, documentName), packedDocument),
      page: packedPage && (await this.#fit(blobKey(id, pageName), packedPage)),
    }
    const hasBlobs = inRow.document === undefined || (packedPage !== undefined && inRow.page === undefined)
    return { ...inRow, hasBlobs, cacheKey: stored?.cacheKey, pageFacts: stored && JSON.stringify(stored.facts) }
  }

  async #fit(key: string, bytes: Buffer): Promise<Buffer | undefined> {
    if (bytes.length <= maxRowBytes) return bytes
    await this.#blobs.write(key, Readable.from([bytes]))
    return undefined
  }

  async #unpack({ id, document }: ScrapeRow): Promise<Document> {
    return unpackDocument(document ?? (await buffer(await this.#blobs.read(blobKey(id, documentName)))))
  }
}
