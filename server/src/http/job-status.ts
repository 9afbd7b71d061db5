import type { BulkStatusQuery, BulkStatusResponse } from 'bowline/contract/bulk'
import { fillPath, pathIn } from 'bowline/contract/fill-path'
import { paths, type ApiVersion } from 'bowline/contract/paths'
import type { Jobs } from '../jobs/jobs.ts'
import type { Job } from '../jobs/plan.ts'
import { withBaseUrl } from '../scrape/document/scrape-files.ts'
import { expiryOf } from '../kit/job-retention.ts'

/** Path of a job in a version of the API. */
export function jobPath({ id, kind }: Pick<Job, 'id' | 'kind'>, version: ApiVersion): string {
  return fillPath(pathIn(kind === 'crawl' ? paths.getCrawl : paths.getBatch, version), { id })
}

/**
 * Reads the status of a job with a page of its documents. `pagesRead` also counts pages without
 * stored documents.
 */
export async function readJobStatus(
  jobs: Jobs,
  job: Job,
  {
    baseUrl,
    version,
    query,
  }: { readonly baseUrl: string; readonly version: ApiVersion; readonly query: BulkStatusQuery },
): Promise<{ readonly status: BulkStatusResponse; readonly pagesRead: number }> {
  const { documents, pagesRead } = await jobs.documents(job, query)
  const skip = query.skip + pagesRead
  const limit = query.limit === 100 ? '' : `&limit=${query.limit}`
  const { createdAt, finishedAt, completed, failed, total, credits, error } = job
  const explanation =
    pagesRead > documents.length
      ? 'Documents of a job with zeroDataRetention are not stored. They are sent to its webhook only.'
      : await jobs.explainSinglePage(job)
  const warning = [explanation, describeFailures(job, version), job.warning]
    .filter((each) => each !== undefined)
    .join(' ')
  const endMs = (finishedAt ?? new Date()).getTime()
  const status: BulkStatusResponse = {
    success: true,
    status: job.status,
    completed,
    total: total - failed,
    failed,
    creditsUsed: credits,
    expiresAt: expiryOf(job.expiresAt, job.status === 'scraping').toISOString(),
    // Only if more documents exist now: clients request the next page at once.
    ...(completed > skip && { next: `${baseUrl}${jobPath(job, version)}?skip=${skip}${limit}` }),
    data: documents.map((document) => withBaseUrl(document, baseUrl)),
    createdAt: createdAt.toISOString(),
    ...(finishedAt !== undefined && { completedAt: finishedAt.toISOString() }),
    duration: (endMs - createdAt.getTime()) / 1000,
    ...(error !== undefined && { error }),
    ...(warning !== '' && { warning }),
  }
  return { status, pagesRead }
}

/** Describes the pages that a job has no documents of. Returns `undefined` while it runs. */
function describeFailures(job: Job, version: ApiVersion): string | undefined {
  const { failed, status } = job
  if (status === 'scraping' || failed === 0) return undefined
  const pages = failed === 1 ? '1 page was not scraped' : `${failed} pages were not scraped`
  return `${pages}. See GET ${jobPath(job, version)}/errors for the reasons.`
}
