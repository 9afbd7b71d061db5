import type { Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { findSubscription, updateSubscription, type SubscriptionRow } from '../queries/mails.ts'
import { findMonitor } from '../queries/monitors.ts'
import type { Database } from '../../store/schema.ts'
import { isValidToken, subscriptionOfToken, type MailPurpose } from './mail-token.ts'

/** A valid link of an email: the subscription that it changes. */
export interface MailLink {
  readonly purpose: MailPurpose
  readonly subscription: SubscriptionRow
  readonly monitorName: string
}

/** Result of following an email link. */
export interface LinkOutcome {
  readonly result: 'confirmed' | 'already_confirmed' | 'unsubscribed' | 'already_unsubscribed'
  readonly email: string
  readonly monitorName: string
}

/** Finds what the link of an email changes. Throws MAIL_TOKEN_INVALID. */
export async function findMailLink(db: Kysely<Database>, token: string, purpose: MailPurpose): Promise<MailLink> {
  const id = subscriptionOfToken(token)
  const subscription = id === undefined ? undefined : await findSubscription(db, id)
  const monitor = subscription && (await findMonitor(db, subscription.monitorId))
  if (subscription === undefined || monitor === undefined || !isValidToken(token, subscription, purpose)) {
    throw new BowlineError('MAIL_TOKEN_INVALID', 'The link is invalid, or its monitor was deleted')
  }
  return { purpose, subscription, monitorName: monitor.name }
}

/** Confirms or cancels the subscription of a link. */
export async function followMailLink(db: Kysely<Database>, link: MailLink): Promise<LinkOutcome> {
  const { purpose, subscription, monitorName } = link
  const status = purpose === 'confirm' ? 'confirmed' : 'unsubscribed'
  const { email } = subscription
  if (subscription.status === status) return { result: `already_${status}`, email, monitorName }
  await updateSubscription(db, subscription.id, { status })
  return { result: status, email, monitorName }
}
