import { sql, type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely'
import { checkSummary } from 'bowline/contract/monitor-checks'
import { notification } from 'bowline/contract/monitors'
import {
  json,
  jsonb,
  JsonTable,
  type JsonFields,
  type JsonRow,
  type OnUnreadable,
} from '../../store/tables/json-table.ts'
import { escapeLike } from '../../kit/escape-like.ts'
import type { MonitorTable } from '../../store/tables/monitors.ts'
import type { Database } from '../../store/schema.ts'
import { storedWebhook } from '../../webhooks/stored-webhook.ts'
import { storedTargets } from '../definition.ts'

const columns = {
  targets: json(storedTargets),
  webhook: json(storedWebhook),
  notification: jsonb(notification),
  lastCheckSummary: jsonb(checkSummary),
}
const monitors = new JsonTable('monitor', columns)

/** A stored monitor. */
export type MonitorRow = JsonRow<Selectable<MonitorTable>, typeof columns>

/** A monitor to insert. */
export type NewMonitor = JsonFields<Insertable<MonitorTable>, typeof columns>

/** Changes of a monitor. */
export type MonitorChange = JsonFields<Updateable<MonitorTable>, typeof columns>

/** A monitor with the id of its queued or running check. */
export type ListedMonitor = MonitorRow & { readonly currentCheckId: string | undefined }

/** Inserts a monitor. */
export async function insertMonitor(db: Kysely<Database>, row: NewMonitor): Promise<void> {
  await db.insertInto('monitor').values(monitors.write(row)).execute()
}

/** Locks a team until the transaction ends, so that its monitors can be counted. */
export async function lockTeam(db: Kysely<Database>, teamId: string): Promise<void> {
  await db.selectFrom('team').select('id').where('id', '=', teamId).forNoKeyUpdate().execute()
}

/** Returns the number of monitors of a team. */
export async function countMonitors(db: Kysely<Database>, teamId: string): Promise<number> {
  const { count } = await db
    .selectFrom('monitor')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('teamId', '=', teamId)
    .where('status', '!=', 'deleted')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns the monitor with this id, or `undefined` if there is none or it was deleted. */
export async function findMonitor(db: Kysely<Database>, id: string): Promise<ListedMonitor | undefined> {
  const row = await selectMonitors(db).where('monitor.id', '=', id).executeTakeFirst()
  return row && monitors.read(row)
}

/** Selects monitors of a team. */
export interface MonitorFilter {
  readonly teamId: string
  readonly limit: number
  readonly offset: number
  /** Text in the name, start of the id, or id of a check. */
  readonly search?: string | undefined
}

/** Lists the monitors of a team, newest first. Leaves out monitors that cannot be read. */
export async function listMonitors(
  db: Kysely<Database>,
  { teamId, limit, offset, search }: MonitorFilter,
  onUnreadable: OnUnreadable,
): Promise<readonly ListedMonitor[]> {
  let query = selectMonitors(db).where('monitor.teamId', '=', teamId)
  if (search !== undefined) {
    const escaped = escapeLike(search)
    query = query.where(sql<boolean>`(monitor.id::text ilike ${`${escaped}%`} or monitor.name ilike ${`%${escaped}%`}
      or exists (select from monitor_check as of_id
        where of_id.id::text = ${search.toLowerCase()} and of_id.monitor_id = monitor.id))`)
  }
  const rows = await query
    .orderBy('monitor.createdAt', 'desc')
    .orderBy('monitor.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return monitors.readAll(rows, onUnreadable)
}

/** Updates a monitor of a team. Returns `false` if there is none or it was deleted. */
export async function updateMonitor(
  db: Kysely<Database>,
  { id, teamId }: { readonly id: string; readonly teamId: string },
  change: MonitorChange,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('monitor')
    .set({ ...monitors.write(change), updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('teamId', '=', teamId)
    .where('status', '!=', 'deleted')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A monitor that is due. */
export interface DueMonitor {
  readonly id: string
  readonly nextRunAt: Date
}

/** Returns the monitors that are due, longest overdue first, at most `limit`. */
export async function findDueMonitors(
  db: Kysely<Database>,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<readonly DueMonitor[]> {
  const rows = await db
    .selectFrom('monitor')
    .select(['id', 'nextRunAt'])
    .where('status', '=', 'active')
    .where('nextRunAt', '<=', now)
    .orderBy('nextRunAt')
    .limit(limit)
    .execute()
  return rows.flatMap(({ id, nextRunAt }) => (nextRunAt === null ? [] : [{ id, nextRunAt }]))
}

/**
 * Claims a due run of a monitor by setting its next one. Returns `false` if another server has
 * claimed it or the monitor has changed.
 */
export async function claimDueRun(
  db: Kysely<Database>,
  due: DueMonitor,
  nextRunAt: Date | undefined,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('monitor')
    .set({ nextRunAt: nextRunAt ?? null })
    .where('id', '=', due.id)
    .where('status', '=', 'active')
    .where('nextRunAt', '=', due.nextRunAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Deletes checks past the retention of their monitor, page states of removed targets, states of
 * vanished pages, and monitors that were deleted over a day ago.
 */
export async function sweepMonitors(db: Kysely<Database>): Promise<void> {
  await sql`
    delete from monitor_check using monitor
    where monitor.id = monitor_check.monitor_id and monitor_check.finished_at is not null
      and monitor_check.created_at < now() - make_interval(days => monitor.retention_days)`.execute(db)
  await sql`
    delete from monitor_state using monitor
    where monitor.id = monitor_state.monitor_id and strpos(monitor.targets::text, monitor_state.target_id::text) = 0`.execute(
    db,
  )
  await deleteVanishedStates(db)
  await sql`
    delete from monitor where status = 'deleted' and updated_at < now() - interval '1 day'
      and not exists (select from monitor_check where monitor_id = monitor.id and status in ('queued', 'running'))`.execute(
    db,
  )
}

/**
 * Deletes states of removed pages and of search results that the checks of the retention time have
 * not listed. The time ends with the last check of the target, so that monitors that are paused or
 * run rarely lose nothing.
 */
async function deleteVanishedStates(db: Kysely<Database>): Promise<void> {
  await sql`
    delete from monitor_state using monitor, (
      select monitor_id, target_id, max(checked_at) as checked_at from monitor_state group by 1, 2
    ) as latest
    where monitor.id = monitor_state.monitor_id
      and latest.monitor_id = monitor_state.monitor_id and latest.target_id = monitor_state.target_id
      and (monitor_state.is_gone or monitor_state.scrape_id is null)
      and monitor_state.checked_at < latest.checked_at - make_interval(days => monitor.retention_days)
      and not exists (select from monitor_check
        where monitor_id = monitor.id and status in ('queued', 'running'))`.execute(db)
}

function selectMonitors(db: Kysely<Database>) {
  return db
    .selectFrom('monitor')
    .selectAll('monitor')
    .select((eb) =>
      eb
        .selectFrom('monitorCheck')
        .select('monitorCheck.id')
        .whereRef('monitorCheck.monitorId', '=', 'monitor.id')
        .where('monitorCheck.status', 'in', ['queued', 'running'])
        .limit(1)
        .as('currentCheckId'),
    )
    .where('monitor.status', '!=', 'deleted')
}
