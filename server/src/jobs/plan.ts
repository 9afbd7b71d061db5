import type { ScrapeRequest } from 'bowline/contract/scrape'
import { crossOriginHeaders } from '../kit/forward-headers.ts'
import { headerScope } from '../map/site.ts'
import type { JobRow } from './job-queries.ts'
import type { Submission } from './job-plan.ts'

/** A batch or a crawl. */
export type Job = JobRow

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
