import { activityEndpoints, activityLimits, type ActivityEndpoint, type ActivityQuery } from 'bowline/contract/activity'
import { dayMs } from 'bowline/kit/day-ms'
import { BowlineError } from 'bowline/kit/errors'
import { readCursor, writeCursor } from '../kit/page-cursor.ts'
import { runEvery } from '../kit/run-every.ts'
import {
  deleteOldActivities,
  insertActivities,
  listActivities,
  type ActivityRow,
  type ListedActivity,
} from './activity-queries.ts'
import { databaseTimeAgo } from '../store/database-time.ts'
import type { Store } from '../store/store.ts'

/** An activity entry to record. */
export type NewActivity = ActivityRow & { readonly endpoint: ActivityEndpoint; readonly apiVersion: 'v1' | 'v2' }

/** A page of a team's activity, newest first. */
export interface ActivityPage {
  readonly rows: readonly ListedActivity[]
  /** Cursor of the next page. `undefined` on the last one. */
  readonly cursor: string | undefined
}

/** Log of the calls that teams made in the last 24 hours. */
export interface ActivityLog extends AsyncDisposable {
  /** Records an entry in the background, batched with others. */
  readonly record: (activity: NewActivity) => void
  /** Returns a page, including everything recorded on this server so far. Throws BAD_REQUEST. */
  readonly list: (query: ActivityQuery & { readonly teamId: string }) => Promise<ActivityPage>
}

const sweepEveryMs = 3_600_000

/**
 * Milliseconds after an entry in which others share its statement. Other servers on a PostgreSQL
 * list entries at once.
 */
const gatherMs = { pglite: 100, postgres: 0 } as const

/** Opens the activity log and deletes expired entries hourly. Disposing writes pending entries. */
export function openActivityLog(store: Store, onError: (error: unknown, action: string) => void): ActivityLog {
  let waiting: ActivityRow[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async (): Promise<void> => {
    const rows = waiting
    waiting = []
    await insertActivities(store.db, rows).catch((error: unknown) => onError(error, 'recording activity'))
  }
  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  const sweepActivities = async (): Promise<void> =>
    deleteOldActivities(store.db, await databaseTimeAgo(store.db, dayMs))
  const sweep = runEvery(sweepEveryMs, sweepActivities, {
    onError: (error) => onError(error, 'deleting old activity'),
  })
  return {
    record: (activity) => {
      waiting.push(activity)
      timer ??= setTimeout(() => void flush(), gatherMs[store.kind])
    },
    list: async (query) => {
      const { teamId, endpoint, search, failed, from, to } = query
      assertEndpoint(endpoint)
      const after = readCursor(query.cursor)
      const limit = readLimit(query.limit)
      await flush()
      const found = await listActivities(store.db, {
        teamId,
        endpoint,
        search,
        hasFailed: failed === undefined ? undefined : failed === 'true',
        since: new Date(Math.max(Date.now() - dayMs, Date.parse(from ?? '') || 0)),
        until: to === undefined ? undefined : new Date(to),
        after,
        // One extra row shows whether there is a next page.
        limit: limit + 1,
      })
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      return { rows, cursor: found.length > limit && last !== undefined ? writeCursor(last) : undefined }
    },
    [Symbol.asyncDispose]: async () => {
      await sweep[Symbol.asyncDispose]()
      await flush()
    },
  }
}

function assertEndpoint(endpoint: string | undefined): void {
  if (endpoint === undefined || activityEndpoints.some((each) => each === endpoint)) return
  throw new BowlineError(
    'BAD_REQUEST',
    `Invalid endpoint filter. Must be one of: ${activityEndpoints.join(', ')}; not ${JSON.stringify(endpoint)}`,
  )
}

function readLimit(text = ''): number {
  const limit = Number.parseInt(text, 10)
  return limit >= 1 ? Math.min(limit, activityLimits.max) : activityLimits.default
}
