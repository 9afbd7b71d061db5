import type { Kysely } from 'kysely'
import type { Document } from 'bowline/contract/document'
import type { Charge } from '../billing/account.ts'
import type { Database } from '../store/schema.ts'
import { insertScrapes, type StoredScrape } from './queries/scrapes.ts'

/** Result of a scrape. */
export interface ScrapeOutcome {
  readonly id: string
  readonly document: Document
  readonly credits: number
}

/** How to store a scrape. */
export interface ScrapeStorage {
  readonly teamId: string
  readonly apiKeyId: string
  /** `undefined`: the page is not stored. */
  readonly row: StoredScrape | undefined
  /** Saves the state of a tracked page in the transaction of the scrape. */
  readonly saveTrackedState?: ((db: Kysely<Database>) => Promise<void>) | undefined
  /** Deletes the files of the scrape. */
  readonly discardFiles?: (() => Promise<void>) | undefined
  /** Adds the page to the search index. */
  readonly indexPage?: (() => void) | undefined
}

/**
 * A scraped page with its price, not stored or billed yet. Its caller saves it in one transaction
 * with its own rows and the bill. Disposing deletes its files unless `markSaved` was called.
 */
export class PricedScrape implements ScrapeOutcome, AsyncDisposable {
  readonly id: string
  readonly document: Document
  readonly credits: number
  readonly #storage: ScrapeStorage
  #isSaved = false

  constructor({ id, document, credits }: ScrapeOutcome, storage: ScrapeStorage) {
    this.id = id
    this.document = document
    this.credits = credits
    this.#storage = storage
  }

  /** The charge for the scrape, unless other work pays for it. */
  get charge(): Charge {
    const { teamId, apiKeyId } = this.#storage
    return { teamId, apiKeyId, kind: 'scrape', subjectId: this.id, credits: this.credits }
  }

  /** Inserts scrapes in the transaction `db`. */
  static async saveAll(db: Kysely<Database>, scrapes: readonly PricedScrape[]): Promise<void> {
    const rows = scrapes.flatMap((scrape) => {
      const { teamId, row } = scrape.#storage
      return row === undefined ? [] : [{ ...row, id: scrape.id, teamId }]
    })
    await insertScrapes(db, rows)
    for (const scrape of scrapes) await scrape.#storage.saveTrackedState?.(db)
  }

  /** Inserts the scrape in the transaction `db`. */
  async save(db: Kysely<Database>): Promise<void> {
    await PricedScrape.saveAll(db, [this])
  }

  /**
   * Keeps the files and adds the page to the search index. Call this once the transaction of `save`
   * has committed.
   */
  markSaved(): void {
    this.#isSaved = true
    this.#storage.indexPage?.()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Files left behind only take up space. Report the failure of the scrape.
    if (!this.#isSaved) await this.#storage.discardFiles?.().catch(() => undefined)
  }
}
