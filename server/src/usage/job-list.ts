import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { JobKind, JobStatusFilter, ListedJob } from 'bowline/contract/jobs'
import { jobRetentionMs } from '../kit/job-retention.ts'
import { escapeLike } from '../kit/escape-like.ts'
import type { ListPosition } from '../kit/page-cursor.ts'
import type { Database } from '../store/schema.ts'

/** Selects the jobs of a team. */
export interface JobFilter {
  readonly teamId: string
  /** Only the job with this id. */
  readonly id?: string | undefined
  readonly kind?: JobKind | undefined
  readonly status?: JobStatusFilter | undefined
  /** Start of the id, or part of the target or of the idempotency key. */
  readonly search?: string | undefined
  /** Earliest creation, inclusive. */
  readonly from?: Date | undefined
  /** Latest creation, exclusive. */
  readonly to?: Date | undefined
  /** The last job of the previous page. */
  readonly after?: ListPosition | undefined
  /** Maximum number of jobs. */
  readonly limit: number
}

/** A batch, crawl, extraction or agent, without its options and results. */
export interface JobListRow {
  readonly id: string
  readonly kind: JobKind
  readonly status: ListedJob['status']
  readonly target: string | null
  /** Null for extractions and agents, and for jobs started without one. */
  readonly idempotencyKey: string | null
  /** Page counts: null for extractions and agents. `total` contains the failed ones. */
  readonly total: number | null
  readonly completed: number | null
  readonly failed: number | null
  readonly credits: number
  readonly error: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

/**
 * Lists the batches, crawls, extractions and agents of a team that have not expired, newest first.
 * Each table contributes at most `limit` rows, from an index on team and time.
 */
export async function listJobs(db: Kysely<Database>, filter: JobFilter): Promise<readonly JobListRow[]> {
  const tables = [pageJobs(filter), extractJobs(filter), agentJobs(filter)].filter((each) => each !== undefined)
  const { rows } = await sql<JobListRow>`
    select id, kind, status, target, idempotency_key as "idempotencyKey", total, completed, failed, credits, error,
      created_at as "createdAt", finished_at as "finishedAt"
    from (${sql.join(tables, sql` union all `)}) as listed ${newestFirst(filter)}`.execute(db)
  return rows
}

const retention = sql`make_interval(secs => ${jobRetentionMs / 1000})`

/** Batches and crawls. The counts contain pages that have ended since the job was last counted. */
function pageJobs(filter: JobFilter): RawBuilder<unknown> | undefined {
  if (filter.kind === 'extract' || filter.kind === 'agent') return undefined
  return sql`(
    select id, kind, status, nullif(target, '') as target, idempotency_key, job.total - recent.duplicates as total, job.completed + recent.completed as completed,
      job.failed + recent.failed as failed, (job.credits + recent.credits)::float8 as credits, error, created_at,
      finished_at
    from (
      select * from job
      where ${matches(filter, { parts: [sql`target`], starts: [sql`idempotency_key`] })} ${filter.kind === undefined ? sql`` : sql`and kind = ${filter.kind}`}
        and (status = 'scraping' or expires_at > now())
      ${newestFirst(filter)}
    ) as job, lateral (
      select count(*) filter (where state = 'completed')::int as completed,
        count(*) filter (where state in ('failed', 'blocked'))::int as failed,
        count(*) filter (where state = 'duplicate')::int as duplicates, coalesce(sum(credits), 0) as credits
      from job_page where job_id = job.id and is_uncounted
    ) as recent)`
}

/** The first URL of an extraction, or the start of its prompt. */
export const extractTarget = sql<string>`coalesce(request->'pages'->>0, request->'folders'->>0, left(request->>'prompt', 300))`

/** The start of the prompt of an agent. */
export const agentTarget = sql<string>`left(request->>'prompt', 300)`

function extractJobs(filter: JobFilter): RawBuilder<unknown> | undefined {
  if (filter.kind !== undefined && filter.kind !== 'extract') return undefined
  return withoutPages(filter, { table: 'extract_job', target: extractTarget })
}

function agentJobs(filter: JobFilter): RawBuilder<unknown> | undefined {
  if (filter.kind !== undefined && filter.kind !== 'agent') return undefined
  return withoutPages(filter, { table: 'agent_job', target: agentTarget })
}

function withoutPages(
  filter: JobFilter,
  { table, target }: { readonly table: 'extract_job' | 'agent_job'; readonly target: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return sql`(
    select id, ${table === 'agent_job' ? 'agent' : 'extract'} as kind, status, ${target} as target,
      null::text as idempotency_key, null::int as total, null::int as completed, null::int as failed, coalesce(credits, 0)::float8 as credits, error,
      created_at, finished_at
    from ${sql.table(table)}
    where ${matches(filter, { parts: [target] })}
      and (status = 'processing' or coalesce(finished_at, created_at) > now() - ${retention})
    ${newestFirst(filter)})`
}

/** Columns of jobs that contain the search text, or start with it, as ids do. */
interface SearchedColumns {
  readonly parts: readonly RawBuilder<unknown>[]
  readonly starts?: readonly RawBuilder<unknown>[]
}

function matches(
  { teamId, id, status, search, from, to, after }: JobFilter,
  { parts, starts = [] }: SearchedColumns,
): RawBuilder<unknown> {
  const conditions = [sql`team_id = ${teamId}::uuid`]
  if (id !== undefined) conditions.push(sql`id = ${id}::uuid`)
  if (status === 'running') conditions.push(sql`status in ('scraping', 'processing')`)
  else if (status === 'ended') conditions.push(sql`status not in ('scraping', 'processing')`)
  else if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (from !== undefined) conditions.push(sql`created_at >= ${from}::timestamptz`)
  if (to !== undefined) conditions.push(sql`created_at < ${to}::timestamptz`)
  if (after !== undefined) {
    conditions.push(sql`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`)
  }
  if (search !== undefined) {
    const escaped = escapeLike(search)
    const isPart = parts.map((column) => sql`${column} ilike ${`%${escaped}%`}`)
    const isStart = [sql`id::text`, ...starts].map((column) => sql`${column} ilike ${`${escaped}%`}`)
    conditions.push(sql`(${sql.join([...isStart, ...isPart], sql` or `)})`)
  }
  return sql.join(conditions, sql` and `)
}

function newestFirst({ limit }: JobFilter): RawBuilder<unknown> {
  return sql`order by created_at desc, id desc limit ${limit}`
}
