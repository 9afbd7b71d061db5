import { sql, type Kysely, type Selectable } from 'kysely'
import { randomSecret, uuidV7 } from 'bowline/kit/ids'
import type { MailSubscriptionTable, MailTable } from '../../store/tables/monitors.ts'
import { toRow, type Row } from '../../store/tables/row.ts'
import type { Database } from '../../store/schema.ts'

/** A subscription of an email address to a monitor. */
export type SubscriptionRow = Row<Selectable<MailSubscriptionTable>>

/** A queued or sent email. */
export type MailRow = Row<Selectable<MailTable>>

/** Inserts a subscription. Returns `undefined` if the address already has one, in any status. */
export async function insertSubscription(
  db: Kysely<Database>,
  row: Pick<SubscriptionRow, 'monitorId' | 'email' | 'status' | 'source'>,
): Promise<SubscriptionRow | undefined> {
  const made = await db
    .insertInto('mailSubscription')
    .values({ ...row, id: uuidV7(), secret: randomSecret() })
    .onConflict((conflict) => conflict.columns(['monitorId', 'email']).doNothing())
    .returningAll()
    .executeTakeFirst()
  return made && toRow(made)
}

/** Lists the subscriptions of some monitors, by email address. */
export async function listSubscriptions(
  db: Kysely<Database>,
  monitorIds: readonly string[],
): Promise<readonly SubscriptionRow[]> {
  if (monitorIds.length === 0) return []
  const rows = await db
    .selectFrom('mailSubscription')
    .selectAll()
    .where('monitorId', 'in', [...monitorIds])
    .orderBy('email')
    .execute()
  return rows.map(toRow)
}

/** Returns the subscription with this id, or `undefined`. */
export async function findSubscription(db: Kysely<Database>, id: string): Promise<SubscriptionRow | undefined> {
  const row = await db.selectFrom('mailSubscription').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRow(row)
}

/** Updates the status of a subscription, or when its confirmation email was sent. */
export async function updateSubscription(
  db: Kysely<Database>,
  id: string,
  change: Partial<Pick<SubscriptionRow, 'status' | 'confirmationSentAt'>>,
): Promise<void> {
  await db.updateTable('mailSubscription').set(change).where('id', '=', id).execute()
}

/** Inserts emails, at most one per kind, subscription and check. Returns the new ids. */
export async function insertMails(
  db: Kysely<Database>,
  mails: readonly Pick<MailRow, 'subscriptionId' | 'checkId' | 'kind'>[],
): Promise<readonly string[]> {
  if (mails.length === 0) return []
  const rows = await db
    .insertInto('mail')
    .values(mails.map(({ checkId, ...row }) => ({ ...row, id: uuidV7(), checkId: checkId ?? null })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns the email with this id, or `undefined`. */
export async function findMail(db: Kysely<Database>, id: string): Promise<MailRow | undefined> {
  const row = await db.selectFrom('mail').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRow(row)
}

/** Records the outcome of an email. */
export async function recordMailOutcome(
  db: Kysely<Database>,
  id: string,
  outcome: { readonly status: MailRow['status']; readonly error?: string | undefined },
): Promise<void> {
  const sentAt = outcome.status === 'sent' ? sql<Date>`now()` : null
  await db
    .updateTable('mail')
    .set({ status: outcome.status, error: outcome.error ?? null, sentAt })
    .where('id', '=', id)
    .execute()
}

/** Number of emails about a check in a status. */
export interface MailCount {
  readonly checkId: string
  readonly status: MailRow['status']
  readonly mails: number
}

/** Counts the emails about some checks by status. */
export async function countMails(db: Kysely<Database>, checkIds: readonly string[]): Promise<readonly MailCount[]> {
  if (checkIds.length === 0) return []
  const rows = await db
    .selectFrom('mail')
    .select(['checkId', 'status', sql<number>`count(*)::integer`.as('mails')])
    .where('checkId', 'in', [...checkIds])
    .groupBy(['checkId', 'status'])
    .execute()
  return rows.map(({ checkId, status, mails }) => ({ checkId: checkId ?? '', status, mails }))
}
