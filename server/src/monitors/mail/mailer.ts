import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Transporter } from 'nodemailer'
import type { CheckStatus, CheckSummary } from 'bowline/contract/monitor-checks'
import type { Notification } from 'bowline/contract/monitors'
import { messageOf } from 'bowline/kit/message-of'
import type { TaskQueues } from '../../queue/task-queues.ts'
import type { Queue } from '../../queue/queue.ts'
import { insertMails, insertSubscription, listSubscriptions, recordMailOutcome } from '../queries/mails.ts'
import type { MonitorRow } from '../queries/monitors.ts'
import type { Database } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import { composeMail } from './compose-mail.ts'

/** Dependencies of `Mailer`. */
export interface MailerDeps {
  readonly store: Store
  readonly queues: TaskQueues
  readonly transport: Transporter
  /** `From` header, such as `Bowline <bowline@example.com>`. */
  readonly from: string
  /** Addresses and domains that do not need to confirm a subscription. */
  readonly trusted: readonly string[]
  /** Base URL of links in emails, without a trailing slash. */
  readonly publicUrl: string
  /** Seconds before each retry. Default: 1, 5 and 15 minutes. */
  readonly retryDelaysSeconds?: readonly number[] | undefined
  readonly onError: (error: unknown, action: string) => void
}

/** An ended check, as reported by email. */
export interface CheckReport {
  readonly id: string
  readonly status: CheckStatus
  readonly summary: CheckSummary
}

/** Maximum number of emails sent at a time. A team may use half of them. */
const maxParallelMails = 4

/**
 * Sends emails about monitors: stores each email, at most one per check and subscriber, and retries
 * it.
 */
export class Mailer {
  readonly #deps: MailerDeps
  readonly #queue: Queue<{ readonly id: string }>

  private constructor(deps: MailerDeps) {
    this.#deps = deps
    this.#queue = {
      name: 'mail',
      retryDelaysSeconds: deps.retryDelaysSeconds ?? [60, 300, 900],
      expireSeconds: 120,
      isSharedByTeams: true,
    }
  }

  /** Starts sending queued emails. */
  static async open(deps: MailerDeps): Promise<Mailer> {
    const mailer = new Mailer(deps)
    const { queues, store } = deps
    const onExhausted = async ({ id }: { readonly id: string }, error: unknown): Promise<void> =>
      recordMailOutcome(store.db, id, { status: 'failed', error: messageOf(error) })
    await queues.work(mailer.#queue, { concurrency: maxParallelMails, onExhausted }, async ({ id }, { signal }) =>
      mailer.#send(id, signal),
    )
    return mailer
  }

  /**
   * Subscribes the recipients of a monitor. New recipients that are not trusted get one
   * confirmation email when the transaction commits.
   */
  async subscribe(
    db: Kysely<Database>,
    { id: monitorId, teamId }: Pick<MonitorRow, 'id' | 'teamId'>,
    { email }: Notification,
  ): Promise<void> {
    if (email?.enabled !== true) return
    const unconfirmed: string[] = []
    for (const address of new Set(email.recipients.map((recipient) => recipient.toLowerCase()))) {
      const isTrusted = this.#isTrusted(address)
      const created = await insertSubscription(db, {
        monitorId,
        email: address,
        status: isTrusted ? 'confirmed' : 'pending',
        source: isTrusted ? 'team' : 'opt_in',
      })
      if (created?.status === 'pending') unconfirmed.push(created.id)
    }
    const mails = unconfirmed.map((subscriptionId) => ({
      subscriptionId,
      checkId: undefined,
      kind: 'confirmation' as const,
    }))
    await this.#enqueue(db, teamId, mails)
  }

  /**
   * Enqueues the emails about a check with news. They are sent once, when the transaction commits.
   * `monitor` must be the row from before the check ended.
   */
  async enqueueCheckMails(db: Kysely<Database>, monitor: MonitorRow, check: CheckReport): Promise<void> {
    const { email } = monitor.notification
    if (email?.enabled !== true || !isWorthSending(monitor, check)) return
    const wanted = new Set(email.recipients.map((recipient) => recipient.toLowerCase()))
    const subscriptions = (await listSubscriptions(db, [monitor.id])).filter(
      (each) => each.status === 'confirmed' && wanted.has(each.email),
    )
    await this.#enqueue(
      db,
      monitor.teamId,
      subscriptions.map(({ id: subscriptionId }) => ({ subscriptionId, checkId: check.id, kind: 'check' as const })),
    )
  }

  async #enqueue(db: Kysely<Database>, teamId: string, mails: Parameters<typeof insertMails>[1]): Promise<void> {
    const ids = await insertMails(db, mails)
    if (ids.length > 0)
      await this.#deps.queues.sendMany(
        this.#queue,
        ids.map((id) => ({ id })),
        { db, teamId },
      )
  }

  async #send(id: string, signal: AbortSignal): Promise<void> {
    const { store, transport, from, publicUrl, onError } = this.#deps
    const composed = await composeMail(store.db, id, { publicUrl, onError })
    if (composed === undefined) return
    await transport.sendMail({ from, ...composed.message, signal })
    await composed.markSent()
  }

  #isTrusted(address: string): boolean {
    const domain = address.slice(address.lastIndexOf('@') + 1)
    return this.#deps.trusted.some((each) => [address, domain].includes(each.toLowerCase().replace(/^@/, '')))
  }
}

/**
 * Skips pages that are new only because this is the first check, and errors already reported by the
 * last one.
 */
function isWorthSending({ lastRunAt, lastCheckSummary }: MonitorRow, { status, summary }: CheckReport): boolean {
  if (summary.changed + summary.removed + (lastRunAt === undefined ? 0 : summary.new) > 0) return true
  const isFailure = status === 'failed' || status === 'skipped_no_credits' || summary.error > 0
  return isFailure && !isDeepStrictEqual(summary, lastCheckSummary)
}
