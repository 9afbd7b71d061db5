import type { Document } from 'bowline/contract/document'
import { readActivity } from '../activity/activity-calls.ts'
import { Fault, type Api } from '../api/call.ts'

/** The kinds of jobs, by their name in the activity. */
export const jobKinds = {
  batch_scrape: { title: 'Batch', path: '/v2/batch/scrape' },
  crawl: { title: 'Crawl', path: '/v2/crawl' },
  extract: { title: 'Extract', path: '/v2/extract' },
} as const

/** Name of a kind of job. */
export type JobKind = keyof typeof jobKinds

/** How far a job is, and some of its pages. */
export interface JobStatus {
  readonly status: string
  readonly completed?: number
  readonly total?: number
  readonly creditsUsed?: number
  readonly createdAt?: string
  readonly completedAt?: string
  readonly expiresAt?: string
  /** Seconds from start to end. */
  readonly duration?: number
  readonly warning?: string
  readonly error?: string
  /** Pages of a batch or crawl; what an extract found. */
  readonly data?: unknown
}

/** What went wrong in a job. */
export interface JobErrors {
  readonly errors: readonly {
    readonly id: string
    readonly url: string
    readonly error: string
    readonly code?: string
    readonly timestamp?: string
  }[]
  readonly robotsBlocked: readonly string[]
}

/** A job in the list. */
export interface ListedJob {
  readonly kind: JobKind
  readonly id: string
  readonly target: string | null
  readonly createdAt: string
  /** Undefined: its documents have expired. */
  readonly state: JobStatus | undefined
}

/** How a job ended, as it was told a short time ago. */
export interface OverJob {
  readonly state: JobStatus | undefined
  readonly untilMs: number
}

/** A batch that is complete goes on when pages are added. */
const overMs = 20_000

/** So many jobs of each kind are listed. */
export const mostListed = 20

/** Whether a text names a kind of job. */
export function isJobKind(name: string | undefined): name is JobKind {
  return name !== undefined && Object.hasOwn(jobKinds, name)
}

/** Whether a job goes on. */
export function isRunning(state: JobStatus | undefined): boolean {
  return state !== undefined && !/^(completed|failed|cancelled)$/.test(state.status)
}

/** The jobs of the last 24 hours, newest first, with how far they are. Those that are over are asked for again after a while. */
export async function listJobs(
  api: Api,
  over: Map<string, OverJob>,
  signal: AbortSignal,
): Promise<readonly ListedJob[]> {
  const kinds = Object.keys(jobKinds) as JobKind[]
  const pages = await Promise.all(
    kinds.map(async (kind) => {
      const { data } = await readActivity(api, { endpoint: kind, limit: mostListed }, signal)
      return data.map((item) => ({ kind, item }))
    }),
  )
  const newestFirst = pages.flat().toSorted((a, b) => b.item.created_at.localeCompare(a.item.created_at))
  return Promise.all(
    newestFirst.map(async ({ kind, item: { id, target, created_at: createdAt } }) => {
      const known = over.get(id)
      if (known !== undefined && known.untilMs > Date.now()) return { kind, id, target, createdAt, state: known.state }
      const state = await readStateOf(api, { kind, id }, signal)
      if (isRunning(state)) over.delete(id)
      else over.set(id, { state, untilMs: Date.now() + overMs })
      return { kind, id, target, createdAt, state }
    }),
  )
}

/** Reads how far a job is, with at most `limit` of its pages after the first `skip`. */
export async function readJob(
  api: Api,
  { kind, id }: { readonly kind: JobKind; readonly id: string },
  { skip, limit }: { readonly skip: number; readonly limit: number },
  signal?: AbortSignal,
): Promise<JobStatus> {
  const paging = kind === 'extract' ? '' : `?skip=${skip}&limit=${limit}`
  return api.get<JobStatus>(`${jobKinds[kind].path}/${encodeURIComponent(id)}${paging}`, signal)
}

/** Cancels a job. */
export async function cancelJob(
  api: Api,
  { kind, id }: { readonly kind: JobKind; readonly id: string },
): Promise<unknown> {
  return api.send('DELETE', `${jobKinds[kind].path}/${encodeURIComponent(id)}`)
}

/** The pages of a job that were read with it. */
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
    if (error instanceof Fault && error.status === 404) return undefined
    throw error
  }
}
