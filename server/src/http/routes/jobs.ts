import type { ListedJob } from 'bowline/contract/jobs'
import { readCursor, writeCursor } from '../../kit/page-cursor.ts'
import type { Store } from '../../store/store.ts'
import { listJobs, type JobListRow } from '../../usage/job-list.ts'
import type { Handlers } from '../register.ts'

/** Route of the list of jobs. */
export function jobListHandlers({ store }: { readonly store: Pick<Store, 'db'> }): Handlers {
  return {
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
