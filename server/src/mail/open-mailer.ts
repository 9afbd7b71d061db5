import { loadOptional } from '../kit/optional-package.ts'
import type { JobQueues } from '../queue/job-queues.ts'
import type { Store } from '../store/store.ts'
import { Mailer } from './mailer.ts'

/** The settings of mails. */
export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password where the server wants them. Undefined: no mail is sent. */
  readonly smtpUrl?: string | undefined
  readonly mailFrom: string
  readonly mailTrusted: readonly string[]
  /** Where the links in mails lead, without trailing slash. Required with `smtpUrl`. */
  readonly publicUrl?: string | undefined
}

/** Builds everything that sends mails, into `undo`. Undefined: this server sends none. Throws PACKAGE_MISSING. */
export async function openMailer(
  undo: AsyncDisposableStack,
  { smtpUrl, mailFrom, mailTrusted, publicUrl }: MailSettings,
  { store, queues }: { readonly store: Store; readonly queues: JobQueues },
): Promise<Mailer | undefined> {
  // Never the Host header of a request: its sender would choose where readers are led.
  if (smtpUrl === undefined || publicUrl === undefined) return undefined
  const { createTransport } = await loadOptional('nodemailer', '`--smtp-url`', async () => import('nodemailer'))
  const transport = createTransport({ url: smtpUrl, connectionTimeout: 15_000, socketTimeout: 60_000 })
  undo.defer(() => transport.close())
  return Mailer.open({ store, queues, transport, from: mailFrom, trusted: mailTrusted, publicUrl })
}
