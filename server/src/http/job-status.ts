import type { BulkStatusQuery, BulkStatusResponse } from 'bowline/contract/bulk'
import type { Jobs } from '../jobs/jobs.ts'
import type { Job } from '../jobs/plan.ts'
import { atBase } from '../scrape/document/scrape-files.ts'
import { expiryOf } from '../store/job-retention.ts'

/** Path of a job, without the version of the API. */
export function bulkPath({ id, kind }: Pick<Job, 'id' | 'kind'>): string {
  return `/${kind === 'crawl' ? 'crawl' : 'batch/scrape'}/${id}`
}

/** What a job is doing, with documents of it, and how many pages these are of. */
export async function readJobStatus(
  jobs: Jobs,
  job: Job,
  { baseUrl, version, query }: { readonly baseUrl: string; readonly version: string; readonly query: BulkStatusQuery },
): Promise<{ readonly status: BulkStatusResponse; readonly read: number }> {
  const { documents, read } = await jobs.documents(job, query)
  const skip = query.skip + read
  const limit = query.limit === 100 ? '' : `&limit=${query.limit}`
  const { createdAt, finishedAt, completed, failed, total, credits, error } = job
  const warning =
    read > documents.length
      ? 'Documents of a job with zeroDataRetention are not kept: its webhook gets them.'
      : await jobs.explainSinglePage(job)
  const endMs = (finishedAt ?? new Date()).getTime()
  const status: BulkStatusResponse = {
    success: true,
    status: job.status,
    completed,
    total: total - failed,
    creditsUsed: credits,
    expiresAt: expiryOf(job.expiresAt, job.status === 'scraping').toISOString(),
    // Only what is there now: callers ask for the next page at once.
    ...(completed > skip && { next: `${baseUrl}/${version}${bulkPath(job)}?skip=${skip}${limit}` }),
    data: documents.map((document) => atBase(document, baseUrl)),
    createdAt: createdAt.toISOString(),
    ...(finishedAt !== undefined && { completedAt: finishedAt.toISOString() }),
    duration: (endMs - createdAt.getTime()) / 1000,
    ...(error !== undefined && { error }),
    ...(warning !== undefined && { warning }),
  }
  return { status, read }
}
