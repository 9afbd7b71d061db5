import { loadOptional } from '../../kit/optional-package.ts'
import { Mailer, type MailerDeps } from './mailer.ts'

/** Email settings. */
export interface MailSettings {
  /**
   * `smtp://` or `smtps://` URL, with user and password if required. `undefined` disables email.
   */
  readonly smtpUrl?: string | undefined
  readonly mailFrom: string
  readonly mailTrusted: readonly string[]
  /** Base URL of links in emails, without a trailing slash. Required with `smtpUrl`. */
  readonly publicUrl?: string | undefined
}

/**
 * Opens the mailer. Returns `undefined` if email is disabled. `resources` disposes it. Throws
 * PACKAGE_MISSING.
 */
export async function openMailer(
  resources: AsyncDisposableStack,
  { smtpUrl, mailFrom, mailTrusted, publicUrl }: MailSettings,
  { store, queues, onError }: Pick<MailerDeps, 'store' | 'queues' | 'onError'>,
): Promise<Mailer | undefined> {
  // Never falls back to a request's Host header: its sender could choose where the links lead.
  if (smtpUrl === undefined || publicUrl === undefined) return undefined
  const { createTransport } = await loadOptional('nodemailer', '`--smtp-url`', async () => import('nodemailer'))
  const transport = createTransport({ url: smtpUrl, connectionTimeout: 15_000, socketTimeout: 60_000 })
  resources.defer(() => transport.close())
  return Mailer.open({ store, queues, transport, from: mailFrom, trusted: mailTrusted, publicUrl, onError })
}
