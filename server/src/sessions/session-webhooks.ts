import type { Kysely, Transaction } from 'kysely'
import type { HandoffSummary } from 'bowline/contract/handoff'
import type { WebhookSpec } from 'bowline/contract/webhooks'
import type { Database } from '../store/schema.ts'
import type { JsonText } from '../store/tables/columns.ts'
import { handoffSummary, type Handoff } from '../handoff/handoffs.ts'
import { isUnreadable, json, JsonTable, type OnUnreadable } from '../store/tables/json-table.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { storedWebhook } from '../webhooks/stored-webhook.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { endFields } from './end-fields.ts'
import { labelsOf } from './session-labels.ts'
import { profileOutcome } from './profile-outcome.ts'

const sessions = new JsonTable('session', { webhook: json(storedWebhook) })

/** Serializes the webhook of a session for its row. */
export function webhookColumn(webhook: WebhookSpec | undefined): JsonText | undefined {
  return webhook && sessions.serialize('webhook', webhook)
}

/** Dependencies of `SessionWebhooks`. */
export interface SessionWebhooksDeps {
  readonly webhooks: Pick<Webhooks, 'send' | 'assertPermitted'>
  /** Called with errors of background work. */
  readonly onError: (error: unknown, action: string) => void
}

/** Sends webhook events of sessions, each once. */
export class SessionWebhooks {
  readonly #deps: SessionWebhooksDeps

  constructor(deps: SessionWebhooksDeps) {
    this.#deps = deps
  }

  /** Throws EGRESS_REFUSED if the address of the webhook of a new session is refused. */
  async assertPermitted(webhook: WebhookSpec | undefined): Promise<void> {
    await this.#deps.webhooks.assertPermitted(webhook)
  }

  /** Sends `session.started`. Never rejects, because the session runs whether or not it is sent. */
  async started(row: SessionRow): Promise<void> {
    await this.#send(row, 'session.started', { success: true }).catch((error: unknown) =>
      this.#deps.onError(error, `sending the start of session ${row.id} to its webhook`),
    )
  }

  /** Sends `session.handoff` when a hand-off starts and when it ends. Never rejects. */
  async handoff(row: SessionRow, handoff: Handoff): Promise<void> {
    const summary = handoffSummary(handoff)
    const success = handoff.end?.isSuccess ?? true
    const error = success ? undefined : summary.reason
    const detail = { handoff: summary, uniqueKey: `${handoff.id}:${summary.status}` }
    await this.#send(row, 'session.handoff', { success, error, detail }).catch((cause: unknown) =>
      this.#deps.onError(cause, `sending a hand-off of session ${row.id} to its webhook`),
    )
  }

  /**
   * Sends `session.ended` with the bill, when `transaction` commits. A session that has not started
   * sends no event: its creator has received the error.
   */
  async ended(transaction: Transaction<Database>, row: SessionRow): Promise<void> {
    const hasStarted = row.status !== 'error' || row.endReason === 'deleted'
    if (!hasStarted) return
    const success = row.error === undefined && row.endReason !== 'crashed' && row.endReason !== 'lost'
    await this.#send(row, 'session.ended', { success, error: row.error, db: transaction })
  }

  async #send(row: SessionRow, event: string, { success, error, detail, db }: SessionEvent): Promise<void> {
    const onUnreadable: OnUnreadable = (cause) => this.#deps.onError(cause, `reading session ${row.id}`)
    const webhook = readWebhook(row, onUnreadable)
    if (webhook === undefined) return
    const described = { ...describe(row, onUnreadable), ...(detail && { handoff: detail.handoff }) }
    const content = { success, data: [described], error }
    const uniqueKey = `${row.id}:${event}${detail === undefined ? '' : `:${detail.uniqueKey}`}`
    const message = { teamId: row.teamId, webhook, event, jobId: row.id, content, uniqueKey }
    await this.#deps.webhooks.send(message, db === undefined ? {} : { db })
  }
}

interface SessionEvent {
  readonly success: boolean
  readonly error?: string | undefined
  /** The hand-off that the event is about, and a key that tells its events apart. */
  readonly detail?: { readonly handoff: HandoffSummary; readonly uniqueKey: string }
  readonly db?: Kysely<Database>
}

function readWebhook(row: SessionRow, onUnreadable: OnUnreadable): WebhookSpec | undefined {
  if (row.webhook === undefined) return undefined
  try {
    return sessions.parse('webhook', row.webhook, row)
  } catch (error) {
    // A webhook that cannot be read must not prevent the bill.
    if (!isUnreadable(error)) throw error
    onUnreadable(error)
    return undefined
  }
}

/** Describes a session without its URLs, which grant control of it. */
function describe(row: SessionRow, onUnreadable: OnUnreadable) {
  return {
    id: row.id,
    ...labelsOf(row, onUnreadable),
    status: row.status,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    ...endFields(row),
    ...profileOutcome(row),
  }
}
