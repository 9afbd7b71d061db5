import { sql, type Insertable, type Kysely, type Selectable } from 'kysely'
import type { CheckStatus } from 'bowline/contract/monitor-checks'
import { uuidV7 } from 'bowline/kit/ids'
import { checkLeaseSeconds } from './node-liveness.ts'
import { toRow, type Row } from './row.ts'
import type { MonitorCheckTable } from './tables/monitors.ts'
import type { Database } from './schema.ts'

/** A stored run of a monitor. */
export type CheckRow = Row<Selectable<MonitorCheckTable>>

/** Exclusive right to run a check. Valid while its fence is the newest. */
export interface CheckLease {
  readonly id: string
  readonly fence: number
}

const nowPlusLease = sql<Date>`now() + make_interval(secs => ${sql.lit(checkLeaseSeconds)})`

/** Inserts a check. Returns `undefined` if the monitor already has a queued or running one. */
export async function insertCheck(
  db: Kysely<Database>,
  row: Omit<Insertable<MonitorCheckTable>, 'id'>,
): Promise<CheckRow | undefined> {
  const made = await db
    .insertInto('monitorCheck')
    .values({ ...row, id: uuidV7() })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return made && toRow(made)
}

/** Returns the check with this id, or `undefined`. */
export async function findCheck(db: Kysely<Database>, id: string): Promise<CheckRow | undefined> {
  const row = await db.selectFrom('monitorCheck').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRow(row)
}

/** Returns the queued or running check of a monitor, or `undefined`. */
export async function findOpenCheck(db: Kysely<Database>, monitorId: string): Promise<CheckRow | undefined> {
  const row = await db
    .selectFrom('monitorCheck')
    .selectAll()
    .where('monitorId', '=', monitorId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst()
  return row && toRow(row)
}

/** Filter of `listChecks`. */
export interface CheckFilter {
  readonly monitorId: string
  readonly limit: number
  readonly offset: number
  readonly status?: CheckStatus | undefined
}

/** Lists the checks of a monitor, newest first. */
export async function listChecks(db: Kysely<Database>, filter: CheckFilter): Promise<readonly CheckRow[]> {
  let query = db.selectFrom('monitorCheck').selectAll().where('monitorId', '=', filter.monitorId)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  const rows = await query
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute()
  return rows.map(toRow)
}

/**
 * Takes the lease of a check that is queued or whose lease has expired. Returns `undefined` if
 * another server has the lease or the check has ended.
 */
export async function claimCheck(db: Kysely<Database>, id: string, nodeId: string): Promise<CheckRow | undefined> {
  const row = await db
    .updateTable('monitorCheck')
    .set((eb) => ({
      status: 'running',
      startedAt: sql<Date>`coalesce(started_at, now())`,
      leaseNodeId: nodeId,
      leaseExpiresAt: nowPlusLease,
      fence: eb('fence', '+', 1),
      updatedAt: sql<Date>`now()`,
    }))
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .where((eb) => eb.or([eb('leaseExpiresAt', 'is', null), eb('leaseExpiresAt', '<', sql<Date>`now()`)]))
    .returningAll()
    .executeTakeFirst()
  return row && toRow(row)
}

/** Renews a lease. Returns `false` if it was lost or the monitor was deleted. */
export async function renewCheck(db: Kysely<Database>, lease: CheckLease): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('monitorCheck')
    .set({ leaseExpiresAt: nowPlusLease })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('status', '=', 'running')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Releases one lease, or all leases of a node that has just started or is dead. */
export async function releaseChecks(
  db: Kysely<Database>,
  lease: CheckLease | { readonly nodeId: string },
): Promise<void> {
  const release = db.updateTable('monitorCheck').set({ leaseNodeId: null, leaseExpiresAt: null })
  await ('nodeId' in lease
    ? release.where('leaseNodeId', '=', lease.nodeId).execute()
    : release.where('id', '=', lease.id).where('fence', '=', lease.fence).execute())
}

/**
 * Returns the ids of checks that no server works on: running ones without a valid lease, and ones
 * that have been queued for over a minute. At most 100.
 */
export async function findStrandedChecks(db: Kysely<Database>): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('monitorCheck')
    .select('id')
    .where((eb) =>
      eb.or([
        eb.and([
          eb('status', '=', 'running'),
          eb.or([eb('leaseExpiresAt', 'is', null), eb('leaseExpiresAt', '<', sql<Date>`now()`)]),
        ]),
        eb.and([eb('status', '=', 'queued'), eb('createdAt', '<', sql<Date>`now() - interval '1 minute'`)]),
      ]),
    )
    .limit(100)
    .execute()
  return rows.map(({ id }) => id)
}
