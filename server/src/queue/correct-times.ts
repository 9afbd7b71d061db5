import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'
import type { Queue } from './queue.ts'

/** Seconds before a retry after a store outage. */
export const storeRetrySeconds = 1

/**
 * Corrects the times of the tasks of a queue that were sent, started or retried before the clock of
 * the database was set back. They would wait until it has caught up. Returns the number of tasks.
 */
export async function correctTimes(
  db: Kysely<Database>,
  { name, retryDelaysSeconds = [] }: Pick<Queue<object>, 'name' | 'retryDelaysSeconds'>,
): Promise<bigint> {
  // A task that was requeued has no start, and one that pg-boss has requeued no number of tries.
  const waitSeconds = sql`case when started_on is null then ${storeRetrySeconds}::double precision
    else coalesce((${[...retryDelaysSeconds]}::double precision[])[(output->>'tries')::integer], 0) end`
  const latestRetry = sql`now() + make_interval(secs => ${waitSeconds})`
  const { numAffectedRows = 0n } = await sql`
    update pgboss.job set created_on = least(created_on, now()),
      heartbeat_on = case when heartbeat_on > now() then now() else heartbeat_on end,
      start_after = case state when 'retry' then least(start_after, ${latestRetry})
        else start_after - greatest(created_on - now(), interval '0') end
    where name = ${name} and (state in ('created', 'retry') and created_on > now()
      or state = 'retry' and start_after > ${latestRetry} or state = 'active' and heartbeat_on > now())`.execute(db)
  return numAffectedRows
}
