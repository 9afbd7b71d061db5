import type { Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { findSubscription, updateSubscription } from '../store/mails.ts'
import { findMonitor } from '../store/monitors.ts'
import type { Database } from '../store/schema.ts'
import { fitsToken, subscriptionOfToken, type MailPurpose } from './mail-token.ts'

/** What following a link came to. */
export interface LinkOutcome {
  readonly result: 'confirmed' | 'already_confirmed' | 'unsubscribed' | 'already_unsubscribed'
  readonly email: string
  readonly monitorName: string
}

/** Does what the link of a mail is for. Throws MAIL_TOKEN_INVALID. */
export async function answerLink(db: Kysely<Database>, token: string, purpose: MailPurpose): Promise<LinkOutcome> {
  const id = subscriptionOfToken(token)
  const reader = id === undefined ? undefined : await findSubscription(db, id)
  const monitor = reader && (await findMonitor(db, reader.monitorId))
  if (reader === undefined || monitor === undefined || !fitsToken(token, reader, purpose)) {
    throw new BowlineError('MAIL_TOKEN_INVALID', 'The link is not valid, or its monitor is gone')
  }
  const status = purpose === 'confirm' ? 'confirmed' : 'unsubscribed'
  const { email } = reader
  if (reader.status === status) return { result: `already_${status}`, email, monitorName: monitor.name }
  await updateSubscription(db, reader.id, { status })
  return { result: status, email, monitorName: monitor.name }
}
