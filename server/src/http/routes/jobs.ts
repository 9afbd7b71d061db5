import type { JobDetails, ListedJob } from 'bowline/contract/jobs'
import { BowlineError } from 'bowline/kit/errors'
import { findAgent } from '../../agent/agent-queries.ts'
import { findExtractJob } from '../../extract/extract-job-queries.ts'
import { jobOptions, type DescribedOptions } from '../../jobs/job-options.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { expiryOf } from '../../kit/job-retention.ts'
import { readCursor, writeCursor } from '../../kit/page-cursor.ts'
import type { Store } from '../../store/store.ts'
import { listJobs, type JobListRow } from '../../usage/job-list.ts'
import { agentOptions, extractOptions } from '../prompt-options.ts'
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
      return { success: true, data: await detailsOf(row, { jobs, db: store.db, teamId }) }
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
  { jobs, db, teamId }: Pick<TeamJobDeps, 'jobs'> & Pick<Store, 'db'> & { readonly teamId: string },
): Promise<JobDetails> {
  if (row.kind === 'extract' || row.kind === 'agent') return { ...toJob(row), ...(await promptOptionsOf(row, db)) }
  const { expiresAt, status, plan } = await jobs.find({ id: row.id, teamId })
  return { ...toJob(row), expiresAt: expiryOf(expiresAt, status === 'scraping').toISOString(), ...jobOptions(plan) }
}

/** The options of an extraction or agent. Empty if it has been deleted since. */
async function promptOptionsOf({ id, kind }: JobListRow, db: Store['db']): Promise<Partial<DescribedOptions>> {
  if (kind === 'agent') {
    const agent = await findAgent(db, id)
    return agent === undefined ? {} : agentOptions(agent.request)
  }
  const extraction = await findExtractJob(db, id)
  return extraction === undefined ? {} : extractOptions(extraction.request)
}

function toJob({ id, kind, status, target, total, completed, failed, ...row }: JobListRow): ListedJob {
  return {
    id,
    kind,
    status,
    target: target ?? undefined,
    idempotencyKey: row.idempotencyKey ?? undefined,
    completed: completed ?? undefined,
    total: total === null ? undefined : total - (failed ?? 0),
    failed: failed ?? undefined,
    creditsUsed: row.credits,
    createdAt: row.createdAt.toISOString(),
    completedAt: row.finishedAt?.toISOString(),
    error: row.error ?? undefined,
  }
}
