import type { Generated } from 'kysely'
import type { JsonText, Nullable } from './columns.ts'

/** Status of a batch or crawl. */
export type JobStatus = 'scraping' | 'completed' | 'failed' | 'cancelled'

/** A batch or a crawl. */
export interface JobTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly kind: 'batch_scrape' | 'crawl'
  /** API version of the request that created it. */
  readonly version: 'v1' | 'v2'
  readonly status: JobStatus
  /** First URL. */
  readonly target: string
  /**
   * Options of its scrapes. `json`, because callers see the order of the keys that they have sent,
   * and a language model fills a schema in that order.
   */
  readonly plan: JsonText
  /** Base URL of the server in the request. */
  readonly baseUrl: string
  /** Number of pages. `completed` and `failed` count those that have ended. */
  readonly total: Generated<number>
  readonly completed: Generated<number>
  readonly failed: Generated<number>
  readonly credits: Generated<number>
  /** Time spent matching the regular expressions of a crawl, in milliseconds. */
  readonly matchingMs: Generated<number>
  /** Why the whole job failed. */
  readonly error: Nullable<string>
  /** Sentences about omitted data. */
  readonly warning: Nullable<string>
  readonly idempotencyKey: Nullable<string>
  readonly requestHash: Nullable<string>
  readonly createdAt: Date
  readonly finishedAt: Nullable<Date>
  readonly expiresAt: Date
}

/** A page of a batch or a crawl. */
export interface JobPageTable {
  readonly jobId: string
  /** Position in the job, from 0. */
  readonly position: number
  readonly url: string
  /** URL as the caller sent it. Null: same as `url`. */
  readonly sourceUrl: Nullable<string>
  /** Deduplication key, equal for URLs of the same page. Null: not deduplicated. */
  readonly identity: Nullable<string>
  /** `identity` of the page that it was redirected to, once it is completed. Null: none. */
  readonly targetIdentity: Nullable<string>
  /** Index of the submission whose options it is scraped with. */
  readonly round: number
  /** Number of links from the start URL of a crawl. */
  readonly depth: number
  /**
   * `blocked`: disallowed by robots.txt. `duplicate`: redirected to another page of the job, or
   * another page was redirected to it.
   */
  readonly state: Generated<'queued' | 'completed' | 'failed' | 'blocked' | 'duplicate'>
  /** Id of its scrape. Assigned up front, so that a page is billed only once. */
  readonly scrapeId: string
  /** Sequence number among the completed pages of the job, from 1. */
  readonly seq: Nullable<number>
  readonly errorCode: Nullable<string>
  readonly error: Nullable<string>
  readonly finishedAt: Nullable<Date>
  /** Worker that has claimed it. Null: unclaimed or ended. */
  readonly holder: Nullable<string>
  /** Number of servers that crashed while scraping it. */
  readonly crashes: Generated<number>
  readonly credits: Generated<number>
  /** Whether it has ended but is not included in the totals of its job yet. */
  readonly isUncounted: Generated<boolean>
}
