import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'

/** Requests in the current window. */
export interface RateCount {
  /** Requests so far, including this one. */
  readonly used: number
  /** End of the window. */
  readonly resetsAt: Date
  /** Milliseconds until the end of the window, by the database's clock. */
  readonly leftMs: number
}

/** Length of a window in seconds. It starts with its first request. */
const windowSeconds = 60

/** Counts a request of a team across all servers. */
export async function countRequest(db: Kysely<Database>, teamId: string, bucket: string): Promise<RateCount> {
  const length = sql`make_interval(secs => ${windowSeconds}::double precision)`
  const isOver = sql`rate_window.started_at <= now() - ${length}`
  const { rows } = await sql<RateCount>`
    insert into rate_window (team_id, bucket, started_at, used) values (${teamId}::uuid, ${bucket}, now(), 1)
    on conflict (team_id, bucket) do update set
      started_at = case when ${isOver} then now() else rate_window.started_at end,
      used = case when ${isOver} then 1 else rate_window.used + 1 end
    returning used, started_at + ${length} as resets_at,
      (extract(epoch from started_at + ${length} - now()) * 1000)::double precision as left_ms`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('The rate limit query returned no row')
  return row
}
