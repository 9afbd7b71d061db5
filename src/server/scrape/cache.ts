import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Document } from '../../contract/document.ts'
import type { ScrapeRequest } from '../../contract/scrape.ts'
import { BowlineError } from '../../kit/errors.ts'
import { isUuid } from '../../kit/ids.ts'
import type { Blobs } from '../store/blobs.ts'
import { findCached, findScrape, findScrapes, type ScrapeRow } from '../store/scrapes.ts'
import type { Store } from '../store/store.ts'
import { cacheKeyOf } from './cache-key.ts'
import { packDocument, unpackDocument } from './pack-document.ts'
import { blobKey, scrapeLifeMs } from './scrape-files.ts'

/** How long pages are kept for other scrapes, in milliseconds. */
export const cacheLifeMs = 2 * 86_400_000

/** Bytes of a packed document that fit into a row; a larger one becomes a blob. */
const maxRowBytes = 64_000

const documentName = 'document.json'

/** A page that was stored. */
export interface CachedPage {
  readonly createdAt: Date
  readonly document: Document
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
    const { maxAge, minAge, lockdown, url } = request
    const isStored = lockdown || minAge !== undefined
    const cacheKey = cacheKeyOf(request)
    const nowMs = Date.now()
    // A picture is kept for a shorter time than the page that shows it.
    const lifeMs = request.formats.some(({ type }) => type === 'screenshot') ? scrapeLifeMs : cacheLifeMs
    const ageMs = isStored ? lifeMs : Math.min(maxAge, lifeMs)
    if (cacheKey !== undefined && ageMs > 0) {
      const range = { from: new Date(nowMs - ageMs), until: new Date(nowMs - (minAge ?? 0)) }
      const row = await findCached(this.#store.db, { teamId, cacheKey, ...range })
      if (row !== undefined) return { createdAt: row.createdAt, document: await this.#unpack(row) }
    }
    if (lockdown) throw new BowlineError('SCRAPE_LOCKDOWN_CACHE_MISS', `${url} is not stored with these options`)
    if (minAge === undefined) return undefined
    throw new BowlineError(
      'SCRAPE_NO_CACHED_DATA',
      `${url} is not stored with these options for ${minAge} ms or longer`,
    )
  }

  /** The scrape with this id. Throws BAD_REQUEST for what is no id, SCRAPE_NOT_FOUND, FORBIDDEN. */
  async read(id: string, teamId: string): Promise<Document> {
    if (!isUuid(id)) throw new BowlineError('BAD_REQUEST', 'Invalid job ID format. Job ID must be a valid UUID.')
    const row = await findScrape(this.#store.db, id)
    if (row === undefined || Date.now() - row.createdAt.getTime() > scrapeLifeMs) {
      throw new BowlineError('SCRAPE_NOT_FOUND', 'Job not found.')
    }
    if (row.teamId !== teamId) throw new BowlineError('FORBIDDEN', 'Forbidden.')
    return this.#unpack(row)
  }

  /** The documents of scrapes, by id. Those that are not there any more are left out. */
  async readMany(ids: readonly string[]): Promise<ReadonlyMap<string, Document>> {
    const rows = await findScrapes(this.#store.db, ids)
    return new Map(await Promise.all(rows.map(async (row) => [row.id, await this.#unpack(row)] as const)))
  }

  /** A document as bytes for its row; undefined: it was stored as a blob. */
  async pack(id: string, document: Document): Promise<Buffer | undefined> {
    const bytes = await packDocument(document)
    if (bytes.length <= maxRowBytes) return bytes
    await this.#blobs.write(blobKey(id, documentName), Readable.from([bytes]))
    return undefined
  }

  async #unpack({ id, document }: ScrapeRow): Promise<Document> {
    return unpackDocument(document ?? (await buffer(await this.#blobs.read(blobKey(id, documentName)))))
  }
}
