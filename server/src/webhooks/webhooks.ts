import type { Kysely } from 'kysely'
import type { Dispatcher } from 'undici'
import type { AuditMetadata } from 'bowline/contract/audit'
import { signatureHeader, type WebhookSpec } from 'bowline/contract/webhooks'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { isUuid, uuidV7 } from 'bowline/kit/ids'
import type { Connector } from '../egress/connector.ts'
import type { MetricRecorder } from '../metrics/metrics.ts'
import type { TaskQueues } from '../queue/task-queues.ts'
import type { Queue } from '../queue/queue.ts'
import type { Attempt } from '../queue/worker.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import {
  findDelivery,
  findWebhookSecret,
  insertDelivery,
  listDeliveries,
  recordAttempt,
  reopenDelivery,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryRow,
} from './webhook-queries.ts'
import { isSubscribed } from './is-subscribed.ts'
import { postEvent, type PostOutcome } from './post-event.ts'
import { signBody } from './sign.ts'

/** An event of a session, a job or a monitor to send. */
export interface WebhookMessage {
  readonly teamId: string
  readonly webhook: WebhookSpec
  /** Full name, such as `batch_scrape.page`. */
  readonly event: string
  /** Id of the session, the job or the monitor check. Sent as `id` in the body. */
  readonly jobId: string
  readonly content: {
    readonly success: boolean
    readonly data: readonly unknown[]
    readonly error?: string | undefined
    /** Metadata of the call that started the job. */
    readonly auditMetadata?: AuditMetadata | undefined
  }
  /**
   * Deduplication key across all servers: a second event with the same key is not sent.
   * Default: none.
   */
  readonly uniqueKey?: string | undefined
  /**
   * Whether the payload is stored for a day after delivery, so that it can be resent.
   * Default: true.
   */
  readonly keepsPayload?: boolean | undefined
}

/** Dependencies of `Webhooks`. */
export interface WebhooksDeps {
  readonly store: Store
  readonly queues: TaskQueues
  /** HTTP dispatcher with the egress policy. */
  readonly dispatcher: Dispatcher
  /** The same policy, for URLs of new webhooks. */
  readonly connector: Pick<Connector, 'assertPermitted'>
  /** Signing secret for teams without their own. `undefined`: their deliveries are not signed. */
  readonly secret: string | undefined
  /** Seconds before each retry. Default: 1, 5 and 15 minutes. */
  readonly retryDelaysSeconds?: readonly number[] | undefined
  /** `User-Agent` header of deliveries. */
  readonly userAgent: string
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
  readonly onError: (error: unknown, action: string) => void
}

const responseTimeoutMs = 10_000
const maxCheckMs = 3000
/**
 * Deliveries of this server at a time. Those of one team take at most half: each may wait for 10 s.
 */
const maxParallelDeliveries = 32
const maxStoredAttempts = 20

/**
 * Delivers events to webhooks: stores each delivery, posts it, retries it and keeps it in a log.
 */
export class Webhooks {
  readonly #deps: WebhooksDeps
  readonly #queue: Queue<{ readonly id: string }>

  private constructor(deps: WebhooksDeps) {
    this.#deps = deps
    this.#queue = {
      name: 'webhook',
      retryDelaysSeconds: deps.retryDelaysSeconds ?? [60, 300, 900],
      // Longer than the response timeout, with a margin for a slow store.
      expireSeconds: 60,
      isSharedByTeams: true,
    }
  }

  /** Starts delivering pending events. */
  static async open(deps: WebhooksDeps): Promise<Webhooks> {
    const webhooks = new Webhooks(deps)
    await deps.queues.work(webhooks.#queue, { concurrency: maxParallelDeliveries }, async ({ id }, attempt) =>
      webhooks.#deliver(id, attempt),
    )
    return webhooks
  }

  /**
   * Throws EGRESS_REFUSED if the address of a new webhook is refused, so that its events could not
   * be delivered. `undefined`: no webhook.
   */
  async assertPermitted(webhook: Pick<WebhookSpec, 'url'> | undefined): Promise<void> {
    if (webhook === undefined) return
    try {
      await this.#deps.connector.assertPermitted(new URL(webhook.url), AbortSignal.timeout(maxCheckMs))
    } catch (error) {
      // A slow name server is no reason to refuse a webhook: its address is checked again at each delivery.
      if (!isBowlineError(error)) return
      throw new BowlineError(error.code, `The webhook cannot be used: ${error.message}`, {
        cause: error,
        hint: error.hint,
      })
    }
  }

  /**
   * Enqueues an event if the webhook subscribes to it. With `db`, it is sent when that transaction
   * commits. Returns the id of the delivery, or `undefined` if the webhook does not subscribe or
   * the event is a duplicate.
   */
  async send(
    message: WebhookMessage,
    { db }: { readonly db?: Kysely<Database> | undefined } = {},
  ): Promise<string | undefined> {
    const { webhook, event, jobId, content } = message
    if (!isSubscribed(webhook, event)) return undefined
    const id = uuidV7()
    const { metadata } = webhook
    const { success, data, error, auditMetadata } = content
    const row = {
      id,
      teamId: message.teamId,
      uniqueKey: message.uniqueKey,
      event,
      jobId,
      url: webhook.url,
      headers: webhook.headers,
      payload: { success, type: event, id: jobId, webhookId: id, data, error, metadata, auditMetadata },
      keepsPayload: message.keepsPayload ?? true,
    }
    const enqueue = async (transaction: Kysely<Database>): Promise<string | undefined> => {
      if (!(await insertDelivery(transaction, row))) return undefined
      await this.#deps.queues.send(this.#queue, { id }, { db: transaction, teamId: message.teamId })
      return id
    }
    return db === undefined ? this.#deps.store.db.transaction().execute(enqueue) : enqueue(db)
  }

  /**
   * Lists deliveries of a team without their payloads, newest first. Leaves out those that cannot
   * be read.
   */
  async list(filter: DeliveryFilter): Promise<DeliveryPage> {
    const { store, onError } = this.#deps
    return listDeliveries(store.db, filter, (error) => onError(error, 'listing webhook deliveries'))
  }

  /** Returns a delivery of a team. Throws DELIVERY_NOT_FOUND. */
  async get(id: string, teamId: string): Promise<DeliveryRow> {
    const row = isUuid(id) ? await findDelivery(this.#deps.store.db, id) : undefined
    if (row?.teamId === teamId) return row
    throw new BowlineError('DELIVERY_NOT_FOUND', `Delivery ${JSON.stringify(id)} not found`)
  }

  /**
   * Resends a delivery with the same payload. Throws DELIVERY_NOT_FOUND, CONFLICT if it is pending,
   * DELIVERY_GONE if its payload has been deleted.
   */
  async redeliver(id: string, teamId: string): Promise<DeliveryRow> {
    const { status, payload } = await this.get(id, teamId)
    if (status === 'pending') throw new BowlineError('CONFLICT', `Delivery ${id} is already pending`)
    if (payload === undefined) {
      throw new BowlineError('DELIVERY_GONE', `Delivery ${id} cannot be resent: its payload has been deleted`)
    }
    await this.#deps.store.db.transaction().execute(async (db) => {
      if (await reopenDelivery(db, id)) await this.#deps.queues.send(this.#queue, { id }, { db, teamId })
    })
    return this.get(id, teamId)
  }

  async #deliver(id: string, { failures, signal }: Attempt): Promise<void> {
    const { store, dispatcher, userAgent } = this.#deps
    const row = await findDelivery(store.db, id)
    if (row?.status !== 'pending' || row.payload === undefined) return
    const secret = (await findWebhookSecret(store.db, row.teamId)) ?? this.#deps.secret
    const event = {
      dispatcher,
      url: row.url,
      headers: {
        'user-agent': userAgent,
        ...lowerCased(row.headers),
        'content-type': 'application/json',
        ...(secret === undefined ? {} : { [signatureHeader]: signBody(secret, row.payload) }),
      },
      body: row.payload,
      timeoutMs: responseTimeoutMs,
      signal,
    }
    const outcome = await postEvent(event)
    await this.#recordOutcome(row, failures, outcome)
  }

  /** Records an attempt. Throws if there is a retry left. */
  async #recordOutcome(row: DeliveryRow, failures: number, outcome: PostOutcome): Promise<void> {
    const { isFinal, ...facts } = outcome
    const now = new Date()
    const attempts = [...row.attempts, { at: now.toISOString(), ...facts }].slice(-maxStoredAttempts)
    const delay = isFinal ? undefined : this.#queue.retryDelaysSeconds?.[failures]
    const isDelivered = facts.error === undefined
    await recordAttempt(this.#deps.store.db, row.id, {
      attempts,
      status: isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'pending',
      deliveredAt: isDelivered ? now : undefined,
      nextAttemptAt: delay === undefined ? undefined : new Date(now.getTime() + delay * 1000),
      dropsPayload: delay === undefined && !row.keepsPayload,
    })
    const { metrics } = this.#deps
    metrics?.increment('bowline_webhook_attempts_total', {
      outcome: isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'retrying',
    })
    metrics?.observe('bowline_webhook_attempt_seconds', {}, facts.durationMs / 1000)
    if (delay !== undefined) throw new Error(`Delivery ${row.id} failed: ${facts.error}`)
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
