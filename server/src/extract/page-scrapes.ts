import type { Kysely } from 'kysely'
import type { PricedScrape } from '../scrape/priced-scrape.ts'
import type { Database } from '../store/schema.ts'

/**
 * The scraped pages of an extraction. They are saved with its result and its charge, or not at all.
 * Disposing deletes their files unless `markSaved` was called.
 */
export class PageScrapes implements AsyncDisposable {
  readonly #scrapes: PricedScrape[] = []

  add(scrape: PricedScrape): void {
    this.#scrapes.push(scrape)
  }

  /** Inserts the pages in the transaction `db`. */
  async save(db: Kysely<Database>): Promise<void> {
    for (const scrape of this.#scrapes) await scrape.save(db)
  }

  /** Keeps the files. Call this once the transaction of `save` has committed. */
  markSaved(): void {
    for (const scrape of this.#scrapes) scrape.markSaved()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const scrape of this.#scrapes) await scrape[Symbol.asyncDispose]()
  }
}
