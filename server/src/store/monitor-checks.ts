import { sql, type Insertable, type Kysely, type Selectable } from 'kysely'
import type { CheckStatus } from 'bowline/contract/monitor-checks'
import { uuidV7 } from 'bowline/kit/ids'
import { toRecord, type Recorded } from './record.ts'
import type { MonitorCheckTable } from './tables/monitors.ts'
import type { Database } from './schema.ts'

/** One run of a monitor as it is stored. */
export type CheckRow = Recorded<Selectable<MonitorCheckTable>>

/** Seconds after which a lease that nobody renews is free. */
export const checkLeaseSeconds = 30

/** The right to work on a check: valid as long as its fence is the newest. */
export interface CheckLease {
  readonly id: string
  readonly fence: number
}

const nowPlusLease = sql<Date>`now() + make_interval(secs => ${sql.lit(checkLeaseSeconds)})`

/** Enters a check. Undefined: another one of the monitor is queued or runs. */
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
  return made && toRecord(made)
}

/** The check with that id, or undefined. */
export async function findCheck(db: Kysely<Database>, id: string): Promise<CheckRow | undefined> {
  const row = await db.selectFrom('monitorCheck').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRecord(row)
}

/** The check of a monitor that is queued or runs, or undefined. */
export async function findOpenCheck(db: Kysely<Database>, monitorId: string): Promise<CheckRow | undefined> {
  const row = await db
    .selectFrom('monitorCheck')
    .selectAll()
    .where('monitorId', '=', monitorId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst()
  return row && toRecord(row)
}

/** Which checks of a monitor. */
export interface CheckFilter {
  readonly monitorId: string
  readonly limit: number
  readonly offset: number
  readonly status?: CheckStatus | undefined
}

/** The checks of a monitor, newest first. */
export async function listChecks(db: Kysely<Database>, filter: CheckFilter): Promise<readonly CheckRow[]> {
  let query = db.selectFrom('monitorCheck').selectAll().where('monitorId', '=', filter.monitorId)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  const rows = await query
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute()
  return rows.map(toRecord)
}

/** Takes the lease of a check that is queued, or whose server is gone. Undefined: another one has it, or it is done. */
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
  return row && toRecord(row)
}

/** Keeps a lease from expiring. False: it was lost, or the monitor was deleted. */
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

/** Gives leases back: one, or all that a node held that has just started or is dead. */
export async function releaseChecks(
  db: Kysely<Database>,
  whose: CheckLease | { readonly nodeId: string },
): Promise<void> {
  const free = db.updateTable('monitorCheck').set({ leaseNodeId: null, leaseExpiresAt: null })
  await ('nodeId' in whose
    ? free.where('leaseNodeId', '=', whose.nodeId).execute()
    : free.where('id', '=', whose.id).where('fence', '=', whose.fence).execute())
}

/** Ids of checks that nobody works on though they are not done: those that lost their server, and those queued for a minute. */
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
