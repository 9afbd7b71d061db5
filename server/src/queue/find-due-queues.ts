import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'

/** Returns those of the queues that have a task to start now. PostgreSQL only. */
export async function findDueQueues(db: Kysely<Database>, names: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select queue.name from unnest(${[...names]}::text[]) as queue (name)
    where exists (select 1 from pgboss.job where job.name = queue.name and job.state < 'active'
      and not job.blocked and job.start_after <= now())`.execute(db)
  return rows.map(({ name }) => name)
}
