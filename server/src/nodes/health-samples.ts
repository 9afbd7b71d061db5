import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'
import type { HealthSampleTable } from '../store/tables/health.ts'
import { unresponsiveAfterSeconds } from './node-liveness.ts'

/** State of a server now, with what it has counted since the previous sample. */
export type HealthReading = Omit<HealthSampleTable, 'at' | 'nodeId'>

/** Hours that samples are kept. */
export const healthHours = 24

/** Maximum number of servers in a history: those that were seen last. */
const maxServers = 50

/** Stores the sample of a server for this minute, and deletes those that are too old. */
export async function storeHealthSample(db: Kysely<Database>, nodeId: string, reading: HealthReading): Promise<void> {
  const at = sql<Date>`date_trunc('minute', now())`
  await db
    .deleteFrom('healthSample')
    .where('at', '<', sql<Date>`now() - make_interval(hours => ${healthHours}::integer)`)
    .execute()
  await db
    .insertInto('healthSample')
    .values({ at, nodeId, ...reading })
    .onConflict((conflict) => conflict.columns(['at', 'nodeId']).doUpdateSet(reading))
    .execute()
}

/** Samples of a server, combined into steps. */
export interface HealthHistory {
  readonly id: string
  /** `undefined` if it has none, or no longer runs. */
  readonly url: string | undefined
  readonly isAlive: boolean
  readonly points: readonly HealthPoint[]
}

/** The samples of a step together: the largest numbers, mean shares, and sums. */
export type HealthPoint = HealthReading & { readonly at: Date }

interface PointRow extends HealthPoint {
  readonly nodeId: string
}

/** Reads the samples of the last hours, oldest first, combined into steps of some minutes. */
export async function listHealth(
  db: Kysely<Database>,
  { hours, stepMinutes }: { readonly hours: number; readonly stepMinutes: number },
): Promise<readonly HealthHistory[]> {
  const stepSeconds = stepMinutes * 60
  const { rows } = await sql<PointRow>`
    with recent as (
      select *, max(at) over (partition by node_id) as last_at from health_sample
      where at >= now() - make_interval(hours => ${hours}::integer)
    ), shown as (
      select node_id from recent group by node_id order by max(last_at) desc, node_id limit ${maxServers}
    )
    select node_id as "nodeId",
      to_timestamp(floor(extract(epoch from at) / ${stepSeconds}::integer) * ${stepSeconds}::integer) as at,
      max(sessions) as sessions, max(max_sessions) as "maxSessions", max(waiting) as waiting,
      avg(memory_used)::float8 as "memoryUsed", avg(cpu_used)::float8 as "cpuUsed",
      max(queue_wait_seconds)::float8 as "queueWaitSeconds",
      sum(requests)::integer as requests, sum(errors)::integer as errors
    from recent join shown using (node_id)
    group by 1, 2 order by 1, 2`.execute(db)
  const nodes = await listNodeStates(db)
  return [...Map.groupBy(rows, ({ nodeId }) => nodeId)].map(([id, points]) => ({
    id,
    url: nodes.get(id)?.url ?? undefined,
    isAlive: nodes.get(id)?.isAlive ?? false,
    points: points.map(({ nodeId: _nodeId, ...point }) => point),
  }))
}

interface NodeState {
  readonly id: string
  readonly url: string | null
  readonly isAlive: boolean
}

async function listNodeStates(db: Kysely<Database>): Promise<ReadonlyMap<string, NodeState>> {
  const { rows } = await sql<NodeState>`
    select id, url, heartbeat_at > now() - make_interval(secs => ${unresponsiveAfterSeconds}::double precision)
      as "isAlive" from node`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
