import type { Generated } from 'kysely'
import type { Nullable } from '../columns.ts'

/** What a job of many pages is doing. */
export type JobStatus = 'scraping' | 'completed' | 'failed' | 'cancelled'

/** A batch or a crawl. */
export interface JobTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly kind: 'batch_scrape' | 'crawl'
  /** Version of the API it was made by. */
  readonly version: 'v1' | 'v2'
  readonly status: JobStatus
  /** Its first address. */
  readonly target: string
  /** How its pages are scraped, as JSON. */
  readonly plan: string
  /** Address of the server as the caller knew it. */
  readonly baseUrl: string
  /** Pages, and how many of them came to an end, one way or the other. */
  readonly total: Generated<number>
  readonly completed: Generated<number>
  readonly failed: Generated<number>
  readonly credits: Generated<number>
  /** How long the expressions of a crawl have been matched, in milliseconds. */
  readonly matchingMs: Generated<number>
  /** Why all of it failed. */
  readonly error: Nullable<string>
  readonly idempotencyKey: Nullable<string>
  readonly requestHash: Nullable<string>
  readonly createdAt: Date
  readonly finishedAt: Nullable<Date>
  readonly expiresAt: Date
}

/** A page of a batch or a crawl. */
export interface JobPageTable {
  readonly jobId: string
  /** Its number in the job, from 0. */
  readonly position: number
  readonly url: string
  /** The address as the caller wrote it. Null: as above. */
  readonly sourceUrl: Nullable<string>
  /** What it has in common with other addresses of the same page. Null: it need not be alone. */
  readonly identity: Nullable<string>
  /** Which of the options of the job it is scraped with. */
  readonly round: number
  /** Links between it and the start of a crawl. */
  readonly depth: number
  /** `blocked`: robots.txt forbids it. */
  readonly state: Generated<'queued' | 'completed' | 'failed' | 'blocked'>
  /** Id of its scrape, known from the start: a page is billed under no other. */
  readonly scrapeId: string
  /** Its number among the completed pages of the job, from 1. */
  readonly seq: Nullable<number>
  readonly errorCode: Nullable<string>
  readonly error: Nullable<string>
  readonly finishedAt: Nullable<Date>
  /** The worker that has it in hand. Null: nobody has, or it has ended. */
  readonly holder: Nullable<string>
  /** How many servers died while they had it in hand. */
  readonly crashes: Generated<number>
  readonly credits: Generated<number>
  /** Whether it has ended and its job does not count it yet. */
  readonly isUncounted: Generated<boolean>
}
