import type { JobDetails, ListedJob } from 'bowline/contract/jobs'
import { BowlineError } from 'bowline/kit/errors'
import { jobOptions } from '../../jobs/job-options.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { expiryOf } from '../../kit/job-retention.ts'
import { readCursor, writeCursor } from '../../kit/page-cursor.ts'
import type { Store } from '../../store/store.ts'
import { listJobs, type JobListRow } from '../../usage/job-list.ts'
import type { Handlers } from '../register.ts'

/** Dependencies of the routes of jobs of any kind. */
export interface TeamJobDeps {
  readonly store: Pick<Store, 'db'>
  readonly jobs: Pick<Jobs, 'find'>
}

/** Routes of jobs of any kind: their list, and the details of one. */
export function teamJobHandlers({ store, jobs }: TeamJobDeps): Handlers {
  return {
    getJob: async ({ params: { id } }, { key: { teamId } }) => {
      const [row] = await listJobs(store.db, { teamId, id, limit: 1 })
      if (row === undefined) throw new BowlineError('JOB_NOT_FOUND', 'Job not found')
      return { success: true, data: await detailsOf(row, { jobs, teamId }) }
    },
    listJobs: async ({ query: { from, to, cursor, limit, ...filter } }, { key }) => {
      const rows = await listJobs(store.db, {
        ...filter,
        teamId: key.teamId,
        from: from === undefined ? undefined : new Date(from),
        to: to === undefined ? undefined : new Date(to),
        after: readCursor(cursor),
        // One extra row shows whether there is a next page.
        limit: limit + 1,
      })
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return {
        success: true,
        data: shown.map(toJob),
        ...(last === undefined ? {} : { cursor: writeCursor(last) }),
      }
    },
  }
}

async function detailsOf(
  row: JobListRow,
  { jobs, teamId }: Pick<TeamJobDeps, 'jobs'> & { readonly teamId: string },
): Promise<JobDetails> {
  if (row.kind === 'extract' || row.kind === 'agent') return toJob(row)
  const { expiresAt, status, plan } = await jobs.find({ id: row.id, teamId })
  return { ...toJob(row), expiresAt: expiryOf(expiresAt, status === 'scraping').toISOString(), ...jobOptions(plan) }
}

function toJob({ id, kind, status, target, total, completed, failed, ...row }: JobListRow): ListedJob {
  return {
    id,
    kind,
    status,
    target: target ?? undefined,
    completed: completed ?? undefined,
    total: total === null ? undefined : total - (failed ?? 0),
    failed: failed ?? undefined,
    creditsUsed: row.credits,
    createdAt: row.createdAt.toISOString(),
    completedAt: row.finishedAt?.toISOString(),
    error: row.error ?? undefined,
  }
}
