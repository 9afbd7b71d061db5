import { fillPath } from 'bowline/contract/fill-path'
import { serverRoutes } from 'bowline/contract/server-routes'
import type { Kysely } from 'kysely'
import {
  findMail,
  findSubscription,
  recordMailOutcome,
  updateSubscription,
  type MailRow,
  type SubscriptionRow,
} from '../queries/mails.ts'
import { findCheck } from '../queries/checks.ts'
import { listPages } from '../queries/pages.ts'
import { findMonitor, type MonitorRow } from '../queries/monitors.ts'
import type { Database } from '../../store/schema.ts'
import { mailToken, type MailPurpose } from './mail-token.ts'
import { renderCheckMail, renderConfirmationMail, type RenderedMail } from './render-mail.ts'

/** An email that is ready to be sent. */
export interface ComposedMail {
  readonly message: RenderedMail & {
    readonly to: string
    readonly messageId: string
    readonly headers: Readonly<Record<string, string>>
  }
  /** Marks the email as sent. */
  readonly markSent: () => Promise<void>
}

const maxPages = 50

/** Options of `composeMail`. */
export interface ComposeOptions {
  /** Base URL of links, without a trailing slash. */
  readonly publicUrl: string
  readonly onError: (error: unknown, action: string) => void
}

/**
 * Composes a queued email with links to `publicUrl`. Returns `undefined` if it was already sent or
 * its recipient has unsubscribed.
 */
export async function composeMail(
  db: Kysely<Database>,
  id: string,
  options: ComposeOptions,
): Promise<ComposedMail | undefined> {
  const { publicUrl } = options
  const mail = await findMail(db, id)
  if (mail?.status !== 'queued') return undefined
  const subscription = await findSubscription(db, mail.subscriptionId)
  const monitor = subscription && (await findMonitor(db, subscription.monitorId))
  const isWanted = subscription?.status === (mail.kind === 'check' ? 'confirmed' : 'pending')
  if (subscription === undefined || monitor === undefined || !isWanted) {
    await recordMailOutcome(db, id, { status: 'dropped' })
    return undefined
  }
  const link = (purpose: MailPurpose): string => linkOf(publicUrl, subscription, purpose)
  const unsubscribeUrl = link('unsubscribe')
  const rendered =
    mail.kind === 'check'
      ? await checkMail(db, { mail, monitor, unsubscribeUrl }, options)
      : renderConfirmationMail(monitor.name, { confirmUrl: link('confirm'), unsubscribeUrl })
  if (rendered === undefined) return undefined
  return {
    message: {
      ...rendered,
      to: subscription.email,
      // Stays the same across retries, so that mail servers can drop duplicates.
      messageId: `<${id}@${new URL(publicUrl).hostname}>`,
      headers: { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    },
    markSent: async () => {
      await recordMailOutcome(db, id, { status: 'sent' })
      if (mail.kind === 'confirmation')
        await updateSubscription(db, subscription.id, { confirmationSentAt: new Date() })
    },
  }
}

function linkOf(publicUrl: string, subscription: SubscriptionRow, purpose: MailPurpose): string {
  return `${publicUrl}${fillPath(serverRoutes.mailLink.path, { purpose })}?token=${mailToken(subscription, purpose)}`
}

async function checkMail(
  db: Kysely<Database>,
  facts: { readonly mail: MailRow; readonly monitor: MonitorRow; readonly unsubscribeUrl: string },
  { onError }: ComposeOptions,
): Promise<RenderedMail | undefined> {
  const { mail, monitor, unsubscribeUrl } = facts
  const check = await findCheck(db, mail.checkId ?? '')
  if (check?.summary === undefined) return undefined
  const statuses = ['changed', 'new', 'removed', 'error'] as const
  const filter = { checkId: check.id, limit: maxPages, skip: 0, statuses }
  const { pages } = await listPages(db, filter, (error) => onError(error, `composing the email ${mail.id}`))
  return renderCheckMail({
    monitorName: monitor.name,
    status: check.status,
    error: check.error,
    summary: check.summary,
    pages,
    includesDiffs: monitor.notification.email?.includeDiffs === true,
    unsubscribeUrl,
  })
}
