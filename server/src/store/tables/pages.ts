import type { ColumnType } from 'kysely'
import type { Nullable, Timestamp } from '../columns.ts'

/** A page that was scraped: read again by its id for a day, or by its cache key as long as it is fresh. */
export interface ScrapeTable {
  readonly id: string
  readonly teamId: string
  /** Identifies the page. Null: not to be found by another scrape. */
  readonly cacheKey: Nullable<string>
  /** What decides which requests the page may serve, as JSON. Null: none. */
  readonly pageFacts: Nullable<string>
  /** The page as it was loaded, packed. Null: it is too large for a row, and is a blob, or is not stored. */
  readonly page: Nullable<Buffer>
  /** The answer, packed. Null: it is too large for a row, and is a blob. */
  readonly document: Nullable<Buffer>
  /** Whether blobs belong to it. */
  readonly hasBlobs: boolean
  /** What the tokens of its files are made from. */
  readonly secret: string
  readonly createdAt: Timestamp
}

/** The last state of a page whose changes are tracked. */
export interface TrackedPageTable {
  readonly teamId: string
  /** Tells address, tag and options. */
  readonly trackingKey: string
  readonly markdown: string
  /** What was extracted, as JSON. */
  readonly extracted: Nullable<string>
  readonly scrapedAt: Timestamp
}

/** A page that can be searched. */
export interface IndexedPageTable {
  readonly teamId: string
  /** SHA-256 of the address. */
  readonly urlHash: Buffer
  readonly url: string
  readonly title: string
  readonly description: string
  readonly body: string
  /** What the index knows of it. */
  readonly words: string
  /** When it was published as it says itself, else when its text was new to us. */
  readonly datedAt: Timestamp
  readonly scrapedAt: Timestamp
}

/** How far an extraction is. */
export type ExtractStatus = 'processing' | 'completed' | 'failed'

/** Data extracted from pages, or still to be. */
export interface ExtractJobTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  /** As JSON. */
  readonly request: string
  readonly status: ColumnType<ExtractStatus, ExtractStatus | undefined, ExtractStatus>
  /** What was extracted, as JSON. */
  readonly answer: Nullable<string>
  /** Why nothing was. */
  readonly error: Nullable<string>
  /** Null: not billed yet. */
  readonly credits: Nullable<number>
  readonly createdAt: Timestamp
  /** Null: it still runs, or ended in an earlier version. */
  readonly finishedAt: Nullable<Date>
}
