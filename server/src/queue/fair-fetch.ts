import { sql, type Kysely } from 'kysely'
import type { Db, JobWithMetadata } from 'pg-boss'
import type { Database } from '../store/schema.ts'

/** A task that this server has started. */
export type StartedTask<Data> = Pick<JobWithMetadata<Data>, 'id' | 'data' | 'retryCount' | 'output' | 'groupId'>

/** Slots of one queue on this server. */
export interface Slots {
  readonly free: number
  /** Slots in use, by team. */
  readonly held: ReadonlyMap<string, number>
}

/** Result of `fetchFairly`. */
export interface FairFetch<Data> {
  readonly tasks: readonly StartedTask<Data>[]
  /** Number of chosen tasks that another server has just started. Others may be waiting. */
  readonly missedCount: number
}

/**
 * Creates the index with which `fetchFairly` finds the tasks of each team, if it does not exist:
 * one team may have many thousands.
 */
export async function createTeamTaskIndex(db: Kysely<Database>): Promise<void> {
  await sql`create index if not exists job_waiting_by_team on pgboss.job_common
    (name, coalesce(group_id, ''), priority desc, created_on, start_after)
    where state < 'active' and not blocked`.execute(db)
}

/**
 * Starts due tasks of a queue. Each free slot goes to the team that holds the fewest, if that is
 * fewer than are free. So a team holds at most half of the slots, and one is usually free for a
 * team that holds none. Tasks without a team, as earlier versions queued them, are those of one
 * team. Throws the errors of the database.
 */
export async function fetchFairly<Data>(
  db: Pick<Db, 'executeSql'>,
  queueName: string,
  { free, held }: Slots,
): Promise<FairFetch<Data>> {
  const { rows } = await db.executeSql(statement, [queueName, free, [...held.keys()], [...held.values()]])
  const tasks = (rows as readonly (StartedTask<Data> | MissedTask)[]).filter((row) => row.id !== null)
  return { tasks, missedCount: rows.length - tasks.length }
}

interface MissedTask {
  readonly id: null
}

// pg-boss can leave out teams, but not choose between them. It would also read all tasks of the
// teams that it leaves out.
const waiting = `name = $1 and state < 'active' and not blocked`
const statement = `
  with recursive team (id) as (
    select min(coalesce(group_id, '')) from pgboss.job_common where ${waiting}
    union all
    select (select min(coalesce(group_id, '')) from pgboss.job_common
      where ${waiting} and coalesce(group_id, '') > team.id)
    from team where team.id is not null
  ),
  candidate as (
    select task.id, task.priority, task.created_on, coalesce(held.slots, 0) - 1
      + row_number() over (partition by team.id order by task.priority desc, task.created_on) as held_before
    from team
    left join unnest($3::text[], $4::integer[]) as held (team_id, slots) on held.team_id = team.id
    cross join lateral (
      select id, priority, created_on from pgboss.job_common
      where ${waiting} and start_after <= now() and coalesce(group_id, '') = team.id
      order by priority desc, created_on
      limit greatest(0, ($2::integer - coalesce(held.slots, 0) + 1) / 2)
    ) as task
  ),
  ranked as (
    select id, held_before, row_number() over (order by held_before, priority desc, created_on) - 1 as taken_before
    from candidate
  ),
  chosen as (
    select id from ranked where held_before < $2::integer - taken_before
  ),
  locked as (
    select id from pgboss.job_common
    where ${waiting} and id = any (array(select id from chosen))
    for update skip locked
  ),
  started as (
    update pgboss.job_common as job
    set state = 'active', started_on = now(), heartbeat_on = now(),
      retry_count = case when started_on is null then retry_count else retry_count + 1 end
    where job.name = $1 and job.id = any (array(select id from locked))
    returning job.id, job.data, job.retry_count, job.output, coalesce(job.group_id, '') as group_id
  )
  select started.id, started.data, started.retry_count as "retryCount", started.output,
    started.group_id as "groupId"
  from chosen left join started on started.id = chosen.id`
