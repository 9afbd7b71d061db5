import type { JobKind, JobStatusFilter, ListedJob } from 'bowline/contract/jobs'
import type { Api } from '../api/api.ts'
import type { CsvRow } from '../components/csv.ts'
import type { PageOfRows } from '../frame/use-pages.ts'
import { spanOf } from '../components/time-span.ts'

/** Values of the filter by status. The page does not load the schema of the contract. */
export const jobStatuses: readonly JobStatusFilter[] = ['running', 'ended', 'completed', 'failed', 'cancelled']

/** Filters of the list. Empty for all. */
export interface JobFilters {
  readonly kind: string
  readonly status: string
  readonly search: string
  /** Name of a time range. */
  readonly range: string
}

interface JobPageQuery {
  readonly cursor?: string | undefined
  readonly limit: number
}

/** Reads a page of the jobs, newest first. */
export async function listJobs(
  api: Api,
  { kind, status, search, range }: JobFilters,
  { cursor, limit }: JobPageQuery,
  signal?: AbortSignal,
): Promise<PageOfRows<ListedJob>> {
  const query = {
    kind: kind === '' ? undefined : (kind as JobKind),
    status: status === '' ? undefined : (status as JobStatusFilter),
    search: search === '' ? undefined : search,
    ...spanOf(range),
    cursor,
    limit,
  }
  const page = await api.call('listJobs', { query }, signal)
  return { rows: page.data, cursor: page.cursor ?? null }
}

/** Reads all jobs, newest first, as rows of a CSV file. */
export async function readJobRows(api: Api, filters: JobFilters): Promise<readonly CsvRow[]> {
  const rows: CsvRow[] = []
  for (let cursor: string | undefined; ;) {
    const page = await listJobs(api, filters, { cursor, limit: 100 })
    rows.push(...page.rows.map(toCsvRow))
    if (page.cursor === null) return rows
    cursor = page.cursor
  }
}

function toCsvRow({ id, kind, target, status, createdAt, completedAt, ...job }: ListedJob): CsvRow {
  const { idempotencyKey, completed, total, failed, creditsUsed, error } = job
  return {
    created: createdAt,
    ended: completedAt,
    kind,
    id,
    target,
    status,
    completed,
    total,
    failed,
    creditsUsed,
    error,
    idempotencyKey,
  }
}
