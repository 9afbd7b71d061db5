import { sql, type Insertable, type Kysely, type Selectable } from 'kysely'
import { check, checkSummary, type CheckStatus, type CheckSummary } from 'bowline/contract/monitor-checks'
import { uuidV7 } from 'bowline/kit/ids'
import { checkLeaseSeconds } from '../../nodes/node-liveness.ts'
import { jsonb, JsonTable, type JsonFields, type JsonRow, type OnUnreadable } from '../../store/tables/json-table.ts'
import type { MonitorCheckTable } from '../../store/tables/monitors.ts'
import type { Database } from '../../store/schema.ts'

const columns = { summary: jsonb(checkSummary), targetResults: jsonb(check.shape.targetResults) }
const checks = new JsonTable('monitor_check', columns)

/** A stored run of a monitor. */
export type CheckRow = JsonRow<Selectable<MonitorCheckTable>, typeof columns>

/** Exclusive right to run a check. Valid while its fence is the newest. */
export interface CheckLease {
  readonly id: string
  readonly fence: number
}

const nowPlusLease = sql<Date>`now() + make_interval(secs => ${sql.lit(checkLeaseSeconds)})`

/** Inserts a check. Returns `undefined` if the monitor already has a queued or running one. */
export async function insertCheck(
  db: Kysely<Database>,
  row: Omit<JsonFields<Insertable<MonitorCheckTable>, typeof columns>, 'id'>,
): Promise<CheckRow | undefined> {
  const made = await db
    .insertInto('monitorCheck')
    .values({ ...checks.write(row), id: uuidV7() })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return made && checks.read(made)
}

/** Returns the check with this id, or `undefined`. */
export async function findCheck(db: Kysely<Database>, id: string): Promise<CheckRow | undefined> {
  const row = await db.selectFrom('monitorCheck').selectAll().where('id', '=', id).executeTakeFirst()
  return row && checks.read(row)
}

/** Returns the queued or running check of a monitor, or `undefined`. */
export async function findOpenCheck(db: Kysely<Database>, monitorId: string): Promise<CheckRow | undefined> {
  const row = await db
    .selectFrom('monitorCheck')
    .selectAll()
    .where('monitorId', '=', monitorId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst()
  return row && checks.read(row)
}

/** Filter of `listChecks`. */
export interface CheckFilter {
  readonly monitorId: string
  readonly limit: number
  readonly offset: number
  readonly status?: CheckStatus | undefined
  /** Earliest creation, as ISO 8601. */
  readonly from?: string | undefined
  /** Latest creation, exclusive, as ISO 8601. */
  readonly to?: string | undefined
}

/** Lists the checks of a monitor, newest first. Leaves out checks that cannot be read. */
export async function listChecks(
  db: Kysely<Database>,
  filter: CheckFilter,
  onUnreadable: OnUnreadable,
): Promise<readonly CheckRow[]> {
  let query = db.selectFrom('monitorCheck').selectAll().where('monitorId', '=', filter.monitorId)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.from !== undefined) query = query.where('createdAt', '>=', new Date(filter.from))
  if (filter.to !== undefined) query = query.where('createdAt', '<', new Date(filter.to))
  const rows = await query
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute()
  return checks.readAll(rows, onUnreadable)
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
      // A server that stops, or loses the database, releases its lease.
      crashes: sql<number>`crashes + case when lease_node_id is null then 0 else 1 end`,
      updatedAt: sql<Date>`now()`,
    }))
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .where((eb) => eb.or([eb('leaseExpiresAt', 'is', null), eb('leaseExpiresAt', '<', sql<Date>`now()`)]))
    .returningAll()
    .executeTakeFirst()
  return row && checks.read(row)
}

/**
 * Marks the credits of a check as reserved. Returns `false` if they were reserved before. Call it
 * in a transaction: it locks the check.
 */
export async function markCheckReserved(
  db: Kysely<Database>,
  { id, credits }: { readonly id: string; readonly credits: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('monitorCheck')
    .set({ reservedCredits: credits, billingStatus: 'reserved' })
    .where('id', '=', id)
    .where('billingStatus', '=', 'not_applicable')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Adds to the reserved credits of a check. */
export async function addReservedCredits(
  db: Kysely<Database>,
  { id, credits }: { readonly id: string; readonly credits: number },
): Promise<void> {
  await db
    .updateTable('monitorCheck')
    .set({ reservedCredits: sql<number>`coalesce(reserved_credits, 0) + ${credits}::integer` })
    .where('id', '=', id)
    .execute()
}

/** How a check ended. */
export interface CheckOutcome {
  readonly status: CheckStatus
  readonly summary: CheckSummary
  readonly targetResults: CheckRow['targetResults']
  readonly error: string | undefined
  readonly credits: number
}

/** A check that has just ended, and who pays for it. */
export type EndedCheck = Pick<CheckRow, 'id' | 'teamId' | 'billingStatus'> & {
  readonly apiKeyId: string
  readonly finishedAt: Date
}

/** Ends a check. Returns `undefined` and changes nothing if the lease was lost. */
export async function markCheckEnded(
  db: Kysely<Database>,
  lease: CheckLease,
  outcome: CheckOutcome,
): Promise<EndedCheck | undefined> {
  const { summary, targetResults } = checks.write(outcome)
  const { rows } = await sql<EndedCheck>`
    with ended as (
      update monitor_check
      set status = ${outcome.status}, summary = ${summary}, target_results = ${targetResults},
        error = ${outcome.error ?? null}::text, finished_at = now(), updated_at = now(), actual_credits = ${outcome.credits}::integer,
        lease_node_id = null, lease_expires_at = null,
        billing_status = case when billing_status <> 'reserved' then billing_status
          when ${outcome.credits}::integer > 0 then 'confirmed' else 'released' end
      where id = ${lease.id} and fence = ${lease.fence}::bigint and status = 'running'
      returning id, monitor_id, team_id, finished_at, billing_status
    )
    update monitor set last_check_summary = ${summary}, last_run_at = ended.finished_at
    from ended where monitor.id = ended.monitor_id
    returning ended.id, ended.team_id, ended.billing_status, ended.finished_at, monitor.api_key_id`.execute(db)
  return rows[0]
}

/** Renews a lease. Returns `false` if it was lost or the check has ended. */
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
    ? release
        .set((eb) => ({ crashes: eb('crashes', '+', 1) }))
        .where('leaseNodeId', '=', lease.nodeId)
        .execute()
    : release.where('id', '=', lease.id).where('fence', '=', lease.fence).execute())
}

/**
 * Returns checks that no server works on: running ones without a valid lease, and ones that have
 * been queued for over a minute. At most 100.
 */
export async function findStrandedChecks(
  db: Kysely<Database>,
): Promise<readonly { readonly id: string; readonly teamId: string }[]> {
  return db
    .selectFrom('monitorCheck')
    .select(['id', 'teamId'])
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
}
