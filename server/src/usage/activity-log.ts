import { activityEndpoints, activityLimits, type ActivityEndpoint } from 'bowline/contract/activity'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid } from 'bowline/kit/ids'
import {
  deleteOldActivities,
  insertActivities,
  listActivities,
  type ActivityPosition,
  type ActivityRow,
} from '../store/activity.ts'
import type { Store } from '../store/store.ts'

/** A job to be entered. */
export type NewActivity = ActivityRow & { readonly endpoint: ActivityEndpoint; readonly apiVersion: 'v1' | 'v2' }

/** Some jobs of a team, newest first. */
export interface ActivityPage {
  readonly rows: readonly ActivityRow[]
  /** Asks for what follows; undefined: nothing does. */
  readonly cursor: string | undefined
}

/** What a team asks of its activity, as it came over the wire. */
export interface ActivityQuery {
  readonly teamId: string
  readonly endpoint?: string | undefined
  readonly limit?: string | undefined
  readonly cursor?: string | undefined
}

/** What teams did in the last 24 hours. */
export interface ActivityLog extends AsyncDisposable {
  /** Enters a job soon, together with others that come at the same time: nobody waits for it. */
  readonly record: (activity: NewActivity) => void
  /** Reads a page, with all that was recorded here before. Throws BAD_REQUEST. */
  readonly list: (query: ActivityQuery) => Promise<ActivityPage>
}

const windowMs = 86_400_000
const sweepEveryMs = 3_600_000

/** Opens the activity of a store and removes every hour what is too old. Disposing writes what is still to be written. */
export function openActivityLog(store: Store, onError: (error: unknown, what: string) => void): ActivityLog {
  let waiting: ActivityRow[] = []
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const rows = waiting
      waiting = []
      await insertActivities(store.db, rows).catch((error: unknown) => onError(error, 'recording activity'))
    }
    writing = undefined
  }
  const sweep = setInterval(() => {
    deleteOldActivities(store.db, new Date(Date.now() - windowMs)).catch((error: unknown) =>
      onError(error, 'removing old activity'),
    )
  }, sweepEveryMs).unref()
  return {
    record: (activity) => {
      waiting.push(activity)
      writing ??= write()
    },
    list: async (query) => {
      const { teamId, endpoint } = query
      assertEndpoint(endpoint)
      const after = readCursor(query.cursor)
      const limit = readLimit(query.limit)
      await writing
      const since = new Date(Date.now() - windowMs)
      // One more than asked for tells whether there is more.
      const found = await listActivities(store.db, { teamId, endpoint, since, after, limit: limit + 1 })
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      return { rows, cursor: found.length > limit && last !== undefined ? writeCursor(last) : undefined }
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(sweep)
      await writing
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

function writeCursor({ createdAt, id }: ActivityPosition): string {
  return Buffer.from(`${createdAt.toISOString()}:${id}`).toString('base64url')
}

function readCursor(cursor: string | undefined): ActivityPosition | undefined {
  if (cursor === undefined) return undefined
  const [, time = '', id = ''] = /^(.+Z):([^:]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const createdAt = new Date(time)
  if (isUuid(id) && !Number.isNaN(createdAt.getTime())) return { createdAt, id }
  throw new BowlineError('BAD_REQUEST', 'Invalid cursor.', { hint: 'Send the `cursor` of the page before, unchanged.' })
}
