import { sql, type Kysely } from 'kysely'
import type { Database } from './schema.ts'

/** How many requests were counted in the running minute, this one included, and when it ends. */
export interface RateCount {
  readonly used: number
  readonly resetsAt: Date
  /** Milliseconds until then, by the clock of the database. */
  readonly leftMs: number
}

/** Seconds that requests are counted together: from the first of them on. */
const windowSeconds = 60

/** Counts one request of a team, whichever server it reached. */
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
  if (row === undefined) throw new Error('counting a request answered no row')
  return row
}
