import { sql, type Kysely, type Selectable } from 'kysely'
import { randomSecret, uuidV7 } from 'bowline/kit/ids'
import type { MailSubscriptionTable, MailTable } from './tables/monitors.ts'
import { toRecord, type Recorded } from './record.ts'
import type { Database } from './schema.ts'

/** A reader of the mails of a monitor. */
export type SubscriptionRow = Recorded<Selectable<MailSubscriptionTable>>

/** A mail on its way, or sent. */
export type MailRow = Recorded<Selectable<MailTable>>

/** Enters a reader of a monitor. Undefined: it has that reader already, in whatever state. */
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
  return made && toRecord(made)
}

/** The readers of some monitors, by address. */
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
  return rows.map(toRecord)
}

/** The reader with that id, or undefined. */
export async function findSubscription(db: Kysely<Database>, id: string): Promise<SubscriptionRow | undefined> {
  const row = await db.selectFrom('mailSubscription').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRecord(row)
}

/** Changes whether a reader wants mails, or notes that the mail asking for it was sent. */
export async function updateSubscription(
  db: Kysely<Database>,
  id: string,
  change: Partial<Pick<SubscriptionRow, 'status' | 'confirmationSentAt'>>,
): Promise<void> {
  await db.updateTable('mailSubscription').set(change).where('id', '=', id).execute()
}

/** Enters mails to be sent, one of a kind for each reader and check. Answers the ids of those that were not there before. */
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

/** The mail with that id, or undefined. */
export async function findMail(db: Kysely<Database>, id: string): Promise<MailRow | undefined> {
  const row = await db.selectFrom('mail').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRecord(row)
}

/** Writes what became of a mail. */
export async function settleMail(
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

/** How many mails about a check are in a state. */
export interface MailCount {
  readonly checkId: string
  readonly status: MailRow['status']
  readonly mails: number
}

/** How many mails about some checks are in each state. */
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
