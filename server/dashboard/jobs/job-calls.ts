import type { BulkErrors } from 'bowline/contract/bulk'
import type { Document } from 'bowline/contract/document'
import type { JobDetails, JobKind } from 'bowline/contract/jobs'
import { jobTitles } from 'bowline/contract/titles'
import type { Api } from '../api/api.ts'
import { agentStatus, hasEnded } from './job-state.ts'

/** Kind of a job that scrapes pages. */
export type PageJobKind = Exclude<JobKind, 'extract' | 'agent'>

/** Kind of a job that can be cancelled. */
export type CancellableKind = Exclude<JobKind, 'extract'>

/** Status of a job with some of its pages. */
export interface JobStatus {
  readonly status: string
  readonly completed?: number | undefined
  /** Without failed pages. */
  readonly total?: number | undefined
  readonly failed?: number | undefined
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

/** Whether a string is a kind of job. */
export function isJobKind(name: string | undefined): name is JobKind {
  return name !== undefined && Object.hasOwn(jobTitles, name)
}

/** Whether a job is still running. */
export function isRunning(state: JobStatus | undefined): boolean {
  return state !== undefined && !hasEnded(state.status)
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
  if (kind === 'agent') {
    const agent = await api.call('getAgent', { params }, signal)
    return { ...agent, status: agentStatus(agent) }
  }
  return api.call(kind === 'crawl' ? 'getCrawl' : 'getBatch', { params, query: { skip, limit } }, signal)
}

/** Reads the target and the options of a job. */
export async function readJobDetails(api: Api, id: string, signal: AbortSignal): Promise<JobDetails> {
  return (await api.call('getJob', { params: { id } }, signal)).data
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
export async function cancelJob(
  api: Api,
  { kind, id }: { readonly kind: CancellableKind; readonly id: string },
): Promise<unknown> {
  return api.call(cancelRoutes[kind], { params: { id } })
}

const cancelRoutes = { batch_scrape: 'cancelBatch', crawl: 'cancelCrawl', agent: 'cancelAgent' } as const

interface PageJob {
  readonly kind: PageJobKind
  readonly id: string
}

/** The pages in the status of a job. */
export function pagesOf({ data }: JobStatus): readonly Document[] {
  return Array.isArray(data) ? (data as Document[]) : []
}
