import type { ColumnType } from 'kysely'
import type { JsonText, Nullable, Timestamp } from './columns.ts'

/** A scrape. Available by its id for a day, and by its cache key while it is fresh. */
export interface ScrapeTable {
  readonly id: string
  readonly teamId: string
  /** Cache key of the page. Null: not cached. */
  readonly cacheKey: Nullable<string>
  /**
   * Facts that decide which requests the cached page may serve. Null: none. JSON in a `text`
   * column: another type would rewrite the table, with all documents and pages.
   */
  readonly pageFacts: Nullable<JsonText>
  /** How the page was loaded, for a session that repeats it. Null: unknown. JSON in `text`. */
  readonly replay: Nullable<JsonText>
  /** Compressed page, as loaded. Null: stored as a blob because of its size, or not stored. */
  readonly page: Nullable<Buffer>
  /** Document as compressed JSON. Null: stored as a blob because of its size. */
  readonly document: Nullable<Buffer>
  /** Whether it has blobs. */
  readonly hasBlobs: boolean
  /** Secret from which the tokens of its files are derived. */
  readonly secret: string
  readonly createdAt: Timestamp
}

/** Last known state of a page with change tracking. */
export interface TrackedPageTable {
  readonly teamId: string
  /** Hash of URL, tag and options. */
  readonly trackingKey: string
  readonly markdown: string
  /**
   * Extracted data. JSON in a `text` column: another type would rewrite the table, with the
   * Markdown of all pages.
   */
  readonly extracted: Nullable<JsonText>
  readonly scrapedAt: Timestamp
}

/** Status of an extract job. */
export type ExtractStatus = 'processing' | 'completed' | 'failed'

/** An extract job. */
export interface ExtractJobTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  /** `json`, because a language model fills a schema in the order of its keys. */
  readonly request: JsonText
  readonly status: ColumnType<ExtractStatus, ExtractStatus | undefined, ExtractStatus>
  /** Extracted data. `json`, because its keys are in the order of the schema. */
  readonly answer: Nullable<JsonText>
  /** Why it failed. */
  readonly error: Nullable<string>
  /** Null: not billed yet. */
  readonly credits: Nullable<number>
  readonly createdAt: Timestamp
  /** Null: still running, or ended before this column existed. */
  readonly finishedAt: Nullable<Date>
}
