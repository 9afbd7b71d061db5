import type { ScrapeRequest } from 'bowline/contract/scrape'
import { crossOriginHeaders } from '../kit/forward-headers.ts'
import { headerScope } from '../map/site.ts'
import type { JobPageRow } from './job-page-queries.ts'
import type { JobRow } from './job-queries.ts'
import type { CrawlPlan } from './crawl-plan.ts'
import type { JobPlan, Submission } from './job-plan.ts'

/** A batch or a crawl. */
export type Job = JobRow

/** Returns the submission of a page by its index, which pages store as `round`. */
export function submissionOf({ plan }: Job, submissionIndex: number): Submission {
  const found = plan.submissions[submissionIndex]
  if (found === undefined) throw new Error(`The job has no submission ${submissionIndex}`)
  return found
}

/** The fields of a page that decide by which rules it is scraped. */
type PageOfJob = Pick<JobPageRow, 'url' | 'round'>

/**
 * Returns the crawl by whose rules a page is scraped: where custom headers are sent, whether
 * robots.txt is obeyed, where the page may lead, and the pause after it. For pages of a batch
 * `undefined`, unless they are failed pages of a crawl that are scraped again.
 */
export function crawlRules(job: Job, { round }: Pick<PageOfJob, 'round'>): CrawlPlan | undefined {
  return job.plan.crawl ?? submissionOf(job, round).retriedCrawl
}

/** Whether a job pauses after each page, which only one page at a time can. */
export function hasDelay({ crawl, submissions }: JobPlan): boolean {
  return [crawl, ...submissions.map(({ retriedCrawl }) => retriedCrawl)].some((rules) => rules?.delay !== undefined)
}

/**
 * Returns the scrape request of a page. Custom headers are only sent to the site of the crawl, not
 * to external pages.
 */
export function scrapeOf(job: Job, page: PageOfJob): ScrapeRequest {
  const { request } = submissionOf(job, page.round)
  const crawl = crawlRules(job, page)
  const takesHeaders = crawl && headerScope(new URL(crawl.url), { includeSubdomains: crawl.allowSubdomains })
  const headers = takesHeaders?.(new URL(page.url)) === false ? crossOriginHeaders(request.headers) : request.headers
  return { ...request, headers, url: page.url }
}
