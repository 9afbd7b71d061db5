import type { ScrapeRequest } from 'bowline/contract/scrape'
import type { WebhookSpec } from 'bowline/contract/webhooks'
import { crossOriginHeaders } from '../kit/forward-headers.ts'
import { headerScope } from '../map/site.ts'
import type { JobRow } from '../store/jobs.ts'
import type { CrawlPlan } from './crawl-plan.ts'

/** How some of the pages of a job are scraped, and how their documents are shown. */
export interface Submission {
  readonly request: Omit<ScrapeRequest, 'url'>
  /** Whether what was extracted is called `extract`, as in the first version of the API. */
  readonly showsExtract: boolean
  /** Whether the last attributes of the documents are those that a crawl finds its way by, and not shown. */
  readonly hidesLinks: boolean
  /** What tells this addition to a job from others. Of the first round, the job itself knows it. */
  readonly idempotencyKey?: string | undefined
  readonly requestHash?: string | undefined
}

/** How a job is done. Kept as JSON. */
export interface JobPlan {
  /** Each addition to a batch is a round of its own. */
  readonly submissions: readonly Submission[]
  readonly webhook?: WebhookSpec | undefined
  /** Most pages of the job at a time. Default: as many as there is room for. */
  readonly maxConcurrency?: number | undefined
  /** Of a crawl. */
  readonly crawl?: CrawlPlan | undefined
}

/** A job with its plan read. */
export interface Job extends Omit<JobRow, 'plan'> {
  readonly plan: JobPlan
}

/** Reads the plan of a job. */
export function toJob(row: JobRow): Job {
  return { ...row, plan: JSON.parse(row.plan) as JobPlan }
}

/** The options of a round of a job. */
export function roundOf({ plan }: Job, round: number): Submission {
  const found = plan.submissions[round]
  if (found === undefined) throw new Error(`The job has no round ${round}`)
  return found
}

/** The scrape of a page of a job. Headers stay with the site of a crawl: its external pages are scraped without them. */
export function scrapeOf(job: Job, page: { readonly url: string; readonly round: number }): ScrapeRequest {
  const { request } = roundOf(job, page.round)
  const { crawl } = job.plan
  const takesHeaders = crawl && headerScope(new URL(crawl.url), { includeSubdomains: crawl.allowSubdomains })
  const headers = takesHeaders?.(new URL(page.url)) === false ? crossOriginHeaders(request.headers) : request.headers
  return { ...request, headers, url: page.url }
}
