import type { BulkErrors } from 'bowline/contract/bulk'
import type { Document } from 'bowline/contract/document'
import { readActivity } from '../activity/activity-calls.ts'
import { ApiError, type Api } from '../api/api.ts'
import { hasEnded } from './job-state.ts'

/** Titles of the kinds of jobs, by their endpoint name in the activity log. */
export const jobTitles = { batch_scrape: 'Batch', crawl: 'Crawl', extract: 'Extract' } as const

/** Kind of a job. */
export type JobKind = keyof typeof jobTitles

/** Kind of a job that scrapes pages. Such jobs can be cancelled. */
export type PageJobKind = Exclude<JobKind, 'extract'>

/** Status of a job with some of its pages. */
export interface JobStatus {
  readonly status: string
  readonly completed?: number | undefined
  readonly total?: number | undefined
  readonly creditsUsed?: number | undefined
  readonly createdAt?: string | undefined
  readonly completedAt?: string | undefined
  readonly expiresAt?: string | undefined
  /** Seconds from start to end. */
  readonly duration?: number | undefined
  readonly warning?: string | undefined
  readonly error?: string | undefined
  /** Pages of a batch or crawl, or the result of an extract. */
  readonly data?: unknown
}

/** A job in the list. */
export interface ListedJob {
  readonly kind: JobKind
  readonly id: string
  readonly target: string | null
  readonly createdAt: string
  /** `undefined` if the job has expired. */
  readonly state: JobStatus | undefined
}

/** A cached status of an ended job. */
export interface CachedJob {
  readonly state: JobStatus | undefined
  readonly untilMs: number
}

/** Time to cache it. Short, since a completed batch resumes when pages are added. */
const cacheMs = 20_000

/** Maximum number of listed jobs of each kind. */
export const maxListed = 20

/** Whether a string is a kind of job. */
export function isJobKind(name: string | undefined): name is JobKind {
  return name !== undefined && Object.hasOwn(jobTitles, name)
}

/** Whether a job is still running. */
export function isRunning(state: JobStatus | undefined): boolean {
  return state !== undefined && !hasEnded(state.status)
}

/**
 * Lists the jobs of the last 24 hours with their status, newest first. Caches ended jobs in `over`.
 */
export async function listJobs(
  api: Api,
  endedJobs: Map<string, CachedJob>,
  signal: AbortSignal,
): Promise<readonly ListedJob[]> {
  const kinds = Object.keys(jobTitles) as JobKind[]
  const pages = await Promise.all(
    kinds.map(async (kind) => {
      const { data } = await readActivity(api, { endpoint: kind, limit: maxListed }, signal)
      return data.map((item) => ({ kind, item }))
    }),
  )
  const newestFirst = pages.flat().toSorted((a, b) => b.item.created_at.localeCompare(a.item.created_at))
  return Promise.all(
    newestFirst.map(async ({ kind, item: { id, target, created_at: createdAt } }) => {
      const known = endedJobs.get(id)
      if (known !== undefined && known.untilMs > Date.now()) return { kind, id, target, createdAt, state: known.state }
      const state = await readStateOf(api, { kind, id }, signal)
      if (isRunning(state)) endedJobs.delete(id)
      else endedJobs.set(id, { state, untilMs: Date.now() + cacheMs })
      return { kind, id, target, createdAt, state }
    }),
  )
}

/** Reads the status of a job with up to `limit` pages after the first `skip`. */
export async function readJob(
  api: Api,
  { kind, id }: { readonly kind: JobKind; readonly id: string },
  { skip, limit }: { readonly skip: number; readonly limit: number },
  signal?: AbortSignal,
): Promise<JobStatus> {
  const params = { id }
  if (kind === 'extract') return api.call('getExtract', { params }, signal)
  return api.call(kind === 'crawl' ? 'getCrawl' : 'getBatch', { params, query: { skip, limit } }, signal)
}

/** Reads the failed pages of a job. */
export async function readJobErrors(api: Api, { kind, id }: PageJob, signal: AbortSignal): Promise<BulkErrors> {
  return api.call(kind === 'crawl' ? 'getCrawlErrors' : 'getBatchErrors', { params: { id } }, signal)
}

/** Starts a batch with the failed pages of an ended job. Resolves to its id. */
export async function retryFailedPages(api: Api, id: string): Promise<string> {
  return (await api.call('retryBatch', { params: { id } })).id
}

/** Cancels a job. */
export async function cancelJob(api: Api, { kind, id }: PageJob): Promise<unknown> {
  return api.call(kind === 'crawl' ? 'cancelCrawl' : 'cancelBatch', { params: { id } })
}

interface PageJob {
  readonly kind: PageJobKind
  readonly id: string
}

/** The pages in the status of a job. */
export function pagesOf({ data }: JobStatus): readonly Document[] {
  return Array.isArray(data) ? (data as Document[]) : []
}

async function readStateOf(
  api: Api,
  job: { readonly kind: JobKind; readonly id: string },
  signal: AbortSignal,
): Promise<JobStatus | undefined> {
  try {
    return await readJob(api, job, { skip: 0, limit: 1 }, signal)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
