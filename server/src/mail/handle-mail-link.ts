import type { Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { findSubscription, updateSubscription } from '../store/mails.ts'
import { findMonitor } from '../store/monitors.ts'
import type { Database } from '../store/schema.ts'
import { isValidToken, subscriptionOfToken, type MailPurpose } from './mail-token.ts'

/** What following a link came to. */
export interface LinkOutcome {
  readonly result: 'confirmed' | 'already_confirmed' | 'unsubscribed' | 'already_unsubscribed'
  readonly email: string
  readonly monitorName: string
}

/** Does what the link of a mail is for. Throws MAIL_TOKEN_INVALID. */
export async function handleMailLink(db: Kysely<Database>, token: string, purpose: MailPurpose): Promise<LinkOutcome> {
  const id = subscriptionOfToken(token)
  const subscription = id === undefined ? undefined : await findSubscription(db, id)
  const monitor = subscription && (await findMonitor(db, subscription.monitorId))
  if (subscription === undefined || monitor === undefined || !isValidToken(token, subscription, purpose)) {
    throw new BowlineError('MAIL_TOKEN_INVALID', 'The link is not valid, or its monitor is gone')
  }
  const status = purpose === 'confirm' ? 'confirmed' : 'unsubscribed'
  const { email } = subscription
  if (subscription.status === status) return { result: `already_${status}`, email, monitorName: monitor.name }
  await updateSubscription(db, subscription.id, { status })
  return { result: status, email, monitorName: monitor.name }
}
