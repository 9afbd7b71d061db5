import type { Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { findSubscription, updateSubscription } from '../queries/mails.ts'
import { findMonitor } from '../queries/monitors.ts'
import type { Database } from '../../store/schema.ts'
import { isValidToken, subscriptionOfToken, type MailPurpose } from './mail-token.ts'

/** Result of following an email link. */
export interface LinkOutcome {
  readonly result: 'confirmed' | 'already_confirmed' | 'unsubscribed' | 'already_unsubscribed'
  readonly email: string
  readonly monitorName: string
}

/** Confirms or cancels the subscription that an email link refers to. Throws MAIL_TOKEN_INVALID. */
export async function handleMailLink(db: Kysely<Database>, token: string, purpose: MailPurpose): Promise<LinkOutcome> {
  const id = subscriptionOfToken(token)
  const subscription = id === undefined ? undefined : await findSubscription(db, id)
  const monitor = subscription && (await findMonitor(db, subscription.monitorId))
  if (subscription === undefined || monitor === undefined || !isValidToken(token, subscription, purpose)) {
    throw new BowlineError('MAIL_TOKEN_INVALID', 'The link is invalid, or its monitor was deleted')
  }
  const status = purpose === 'confirm' ? 'confirmed' : 'unsubscribed'
  const { email } = subscription
  if (subscription.status === status) return { result: `already_${status}`, email, monitorName: monitor.name }
  await updateSubscription(db, subscription.id, { status })
  return { result: status, email, monitorName: monitor.name }
}
