import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely'
import { z } from 'zod'
import { delivery, type DeliveryStatus } from 'bowline/contract/webhooks'
import { escapeLike } from '../kit/escape-like.ts'
import { json, jsonb, JsonTable, type JsonRow, type OnUnreadable } from '../store/tables/json-table.ts'
import type { Database } from '../store/schema.ts'
import type { WebhookDeliveryTable } from '../store/tables/webhooks.ts'

const columns = { headers: json(z.record(z.string(), z.string())), attempts: jsonb(delivery.shape.attempts) }
const deliveries = new JsonTable('webhook_delivery', columns)

/** A delivery of an event to a webhook. Its payload is JSON text, as it is signed and sent. */
export type DeliveryRow = JsonRow<Selectable<WebhookDeliveryTable>, typeof columns>

const payloads = new JsonTable('webhook_delivery', { payload: json(z.unknown()) })

/** A delivery to insert. */
export interface NewDelivery extends Pick<DeliveryRow, 'id' | 'teamId' | 'event' | 'jobId' | 'url' | 'headers'> {
  /** Deduplication key. `undefined`: never a duplicate. */
  readonly uniqueKey: string | undefined
  readonly payload: unknown
  /** Whether the payload is stored for a day after delivery. */
  readonly keepsPayload: boolean
}

/** Inserts a pending delivery. Returns `false` if its key is a duplicate. */
export async function insertDelivery(db: Kysely<Database>, row: NewDelivery): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('webhookDelivery')
    .values({
      ...deliveries.write(row),
      payload: payloads.serialize('payload', row.payload),
      uniqueKey: row.uniqueKey ?? null,
    })
    .onConflict((conflict) => conflict.column('uniqueKey').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Returns the delivery with this id, or `undefined`. */
export async function findDelivery(db: Kysely<Database>, id: string): Promise<DeliveryRow | undefined> {
  const row = await db.selectFrom('webhookDelivery').selectAll().where('id', '=', id).executeTakeFirst()
  return row && deliveries.read(row)
}

/** Returns the payload of a delivery as a value. `undefined` if it was deleted. */
export function payloadOf(row: Pick<DeliveryRow, 'id' | 'payload'>): unknown {
  return row.payload === undefined ? undefined : payloads.parse('payload', row.payload, row)
}

/** Filter of `listDeliveries`. `before` is the id of a delivery: only older ones are listed. */
export interface DeliveryFilter {
  readonly teamId: string
  readonly before?: string | undefined
  readonly status?: DeliveryStatus | undefined
  readonly jobId?: string | undefined
  /** Start of the id or of `jobId`, or part of the URL or the event. */
  readonly search?: string | undefined
  /** Earliest creation, inclusive. */
  readonly from?: Date | undefined
  /** Latest creation, exclusive. */
  readonly to?: Date | undefined
  readonly limit: number
}

/** Deliveries without their payloads, newest first. */
export interface DeliveryPage {
  readonly deliveries: readonly Omit<DeliveryRow, 'payload'>[]
  /** `before` of the next ones. `undefined` on the last page. */
  readonly next: string | undefined
}

/**
 * Lists deliveries of a team without their payloads, newest first. Leaves out those that cannot be
 * read.
 */
export async function listDeliveries(
  db: Kysely<Database>,
  filter: DeliveryFilter,
  onUnreadable: OnUnreadable,
): Promise<DeliveryPage> {
  let query = selectWithoutPayload(db).where('teamId', '=', filter.teamId)
  if (filter.before !== undefined) query = query.where('id', '<', filter.before)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.jobId !== undefined) query = query.where('jobId', '=', filter.jobId)
  if (filter.from !== undefined) query = query.where('createdAt', '>=', filter.from)
  if (filter.to !== undefined) query = query.where('createdAt', '<', filter.to)
  if (filter.search !== undefined) query = query.where(containsText(filter.search))
  const { limit } = filter
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  return {
    deliveries: deliveries.readAll(page, onUnreadable),
    next: rows.length > limit ? page.at(-1)?.id : undefined,
  }
}

function containsText(text: string): RawBuilder<boolean> {
  const [start, part] = [`${escapeLike(text)}%`, `%${escapeLike(text)}%`]
  return sql<boolean>`(id::text ilike ${start} or job_id ilike ${start} or url ilike ${part} or event ilike ${part})`
}

/**
 * Returns the deliveries with these keys without their payloads, in any order. Leaves out those
 * that cannot be read.
 */
export async function findDeliveriesByKey(
  db: Kysely<Database>,
  keys: readonly string[],
  onUnreadable: OnUnreadable,
): Promise<readonly Omit<DeliveryRow, 'payload'>[]> {
  if (keys.length === 0) return []
  const rows = await selectWithoutPayload(db)
    .where('uniqueKey', 'in', [...keys])
    .execute()
  return deliveries.readAll(rows, onUnreadable)
}

/** Records the outcome of an attempt. */
export async function recordAttempt(
  db: Kysely<Database>,
  id: string,
  outcome: Pick<DeliveryRow, 'status' | 'attempts' | 'nextAttemptAt' | 'deliveredAt'> & {
    readonly dropsPayload: boolean
  },
): Promise<void> {
  const { dropsPayload, nextAttemptAt, deliveredAt, ...rest } = outcome
  await db
    .updateTable('webhookDelivery')
    .set({ ...deliveries.write(rest), nextAttemptAt: nextAttemptAt ?? null, deliveredAt: deliveredAt ?? null })
    .$if(dropsPayload, (query) => query.set({ payload: null }))
    .where('id', '=', id)
    .execute()
}

/**
 * Makes a delivery pending again and keeps its attempts. Returns `false` if it is pending or has no
 * payload.
 */
export async function reopenDelivery(db: Kysely<Database>, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhookDelivery')
    .set({ status: 'pending', deliveredAt: null, nextAttemptAt: null })
    .where('id', '=', id)
    .where('payload', 'is not', null)
    .where('status', '!=', 'pending')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes deliveries older than `days` days, and payloads that were delivered over a day ago. */
export async function sweepDeliveries(db: Kysely<Database>, days: number): Promise<void> {
  await db
    .deleteFrom('webhookDelivery')
    .where('createdAt', '<', sql<Date>`now() - make_interval(days => ${days}::integer)`)
    .execute()
  await db
    .updateTable('webhookDelivery')
    .set({ payload: null })
    .where('deliveredAt', '<', sql<Date>`now() - interval '1 day'`)
    .where('payload', 'is not', null)
    .execute()
}

/** Returns the webhook signing secret of a team, or `undefined`. */
export async function findWebhookSecret(db: Kysely<Database>, teamId: string): Promise<string | undefined> {
  const row = await db.selectFrom('webhookSecret').select('secret').where('teamId', '=', teamId).executeTakeFirst()
  return row?.secret
}

/** Sets the webhook signing secret of a team. It also applies to pending deliveries. */
export async function saveWebhookSecret(db: Kysely<Database>, teamId: string, secret: string): Promise<void> {
  await db
    .insertInto('webhookSecret')
    .values({ teamId, secret })
    .onConflict((conflict) => conflict.column('teamId').doUpdateSet({ secret, createdAt: sql<Date>`now()` }))
    .execute()
}

/** Deletes the webhook signing secret of a team. Does nothing if there is none. */
export async function deleteWebhookSecret(db: Kysely<Database>, teamId: string): Promise<void> {
  await db.deleteFrom('webhookSecret').where('teamId', '=', teamId).execute()
}

function selectWithoutPayload(db: Kysely<Database>) {
  return db
    .selectFrom('webhookDelivery')
    .select(['id', 'teamId', 'uniqueKey', 'event', 'jobId', 'url', 'headers', 'keepsPayload', 'status'])
    .select(['attempts', 'nextAttemptAt', 'deliveredAt', 'createdAt'])
}
