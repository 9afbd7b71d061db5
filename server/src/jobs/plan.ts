import type { ScrapeRequest } from 'bowline/contract/scrape'
import type { WebhookSpec } from 'bowline/contract/webhooks'
import { crossOriginHeaders } from '../kit/forward-headers.ts'
import { headerScope } from '../map/site.ts'
import type { JobRow } from './job-queries.ts'
import type { CrawlPlan } from './crawl-plan.ts'

/** Options for the pages of one request: a new job, or an addition to a batch. */
export interface Submission {
  readonly request: Omit<ScrapeRequest, 'url'>
  /** Show extracted data as `extract`, as API v1 does. */
  readonly showsExtract: boolean
  /** Hide the last attributes of documents, which a crawl uses to find links. */
  readonly hidesLinks: boolean
  /** Idempotency key of an addition. The key of the first submission is stored with the job. */
  readonly idempotencyKey?: string | undefined
  readonly requestHash?: string | undefined
}

/** Options of a job, stored as JSON. */
export interface JobPlan {
  /** The first submission, and one for each addition to a batch. */
  readonly submissions: readonly Submission[]
  readonly webhook?: WebhookSpec | undefined
  /** Maximum number of concurrent pages of the job. Default: the limit of the server. */
  readonly maxConcurrency?: number | undefined
  /** Set for crawls. */
  readonly crawl?: CrawlPlan | undefined
}

/** A job with its plan parsed. */
export interface Job extends Omit<JobRow, 'plan'> {
  readonly plan: JobPlan
}

/** Parses the plan of a job. */
export function toJob(row: JobRow): Job {
  return { ...row, plan: JSON.parse(row.plan) as JobPlan }
}

/** Returns the submission of a page by its index, which pages store as `round`. */
export function submissionOf({ plan }: Job, submissionIndex: number): Submission {
  const found = plan.submissions[submissionIndex]
  if (found === undefined) throw new Error(`The job has no submission ${submissionIndex}`)
  return found
}

/**
 * Returns the scrape request of a page. Custom headers are only sent to the site of the crawl, not
 * to external pages.
 */
export function scrapeOf(job: Job, page: { readonly url: string; readonly round: number }): ScrapeRequest {
  const { request } = submissionOf(job, page.round)
  const { crawl } = job.plan
  const takesHeaders = crawl && headerScope(new URL(crawl.url), { includeSubdomains: crawl.allowSubdomains })
  const headers = takesHeaders?.(new URL(page.url)) === false ? crossOriginHeaders(request.headers) : request.headers
  return { ...request, headers, url: page.url }
}
