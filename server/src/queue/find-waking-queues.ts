import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'

/** A queue with something to do. */
export interface WakingQueue {
  readonly name: string
  /** Whether a task can start now. */
  readonly isDue: boolean
  /** Whether the heartbeats of a running task have stopped. */
  readonly hasLostTask: boolean
}

/** Returns those of the queues that have something to do, in one statement. PostgreSQL only. */
export async function findWakingQueues(
  db: Kysely<Database>,
  names: readonly string[],
): Promise<readonly WakingQueue[]> {
  const { rows } = await sql<WakingQueue>`
    select * from (
      select queue.name,
        exists (select 1 from pgboss.job where job.name = queue.name and job.state < 'active'
          and not job.blocked and job.start_after <= now()) as "isDue",
        exists (select 1 from pgboss.job where job.name = queue.name and job.state = 'active'
          and job.heartbeat_on + job.heartbeat_seconds * interval '1 second' < now()) as "hasLostTask"
      from unnest(${[...names]}::text[]) as queue (name)
    ) as waking where "isDue" or "hasLostTask"`.execute(db)
  return rows
}

/**
 * Creates the index for running and failed tasks, if it does not exist: finished ones are kept for
 * an hour.
 */
export async function createStartedTaskIndex(db: Kysely<Database>): Promise<void> {
  await sql`create index if not exists job_started_or_failed on pgboss.job_common (name, state)
    where state in ('active', 'failed')`.execute(db)
}
