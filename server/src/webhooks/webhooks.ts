import type { Kysely } from 'kysely'
import type { Dispatcher } from 'undici'
import { signatureHeader, type WebhookSpec } from 'bowline/contract/webhooks'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid, uuidV7 } from 'bowline/kit/ids'
import type { JobQueues } from '../queue/job-queues.ts'
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
  type DeliveryRow,
} from '../store/webhooks.ts'
import { isSubscribed } from './is-subscribed.ts'
import { postEvent, type PostOutcome } from './post-event.ts'
import { signBody } from './sign.ts'

/** An event of a job. */
export interface WebhookMessage {
  readonly teamId: string
  readonly target: WebhookSpec
  /** Whole name, such as `batch_scrape.page`. */
  readonly event: string
  /** Id of the job, or of the check of a monitor: the `id` of the body. */
  readonly jobId: string
  readonly body: { readonly success: boolean; readonly data: readonly unknown[]; readonly error?: string | undefined }
  /** Tells the event among all of the server: the second of the same key is not sent. Default: each is sent. */
  readonly uniqueKey?: string | undefined
  /** Whether the body can be read and sent again after it arrived, for a day. Default true. */
  readonly keepsPayload?: boolean | undefined
}

/** What webhooks are made with. */
export interface WebhooksDeps {
  readonly store: Store
  readonly queues: JobQueues
  /** The way out, which judges every connection. */
  readonly dispatcher: Dispatcher
  /** Signs for teams that have no secret of their own. Undefined: they get no signature. */
  readonly secret: string | undefined
  /** Seconds before each further try of what was not taken. Default 1, 5 and 15 minutes. */
  readonly retryDelaysSeconds?: readonly number[] | undefined
  /** Name and version of this server, as receivers see it. */
  readonly userAgent: string
}

const responseTimeoutMs = 10_000
const maxParallelDeliveries = 16
const maxStoredAttempts = 20

/** Events on their way to those who asked for them: each is written down first, posted, tried again, and kept to be read. */
export class Webhooks {
  readonly #deps: WebhooksDeps
  readonly #queue: Queue<{ readonly id: string }>

  private constructor(deps: WebhooksDeps) {
    this.#deps = deps
    this.#queue = {
      name: 'webhook',
      retryDelaysSeconds: deps.retryDelaysSeconds ?? [60, 300, 900],
      // Longer than a try may take, with room for a slow store.
      expireSeconds: 60,
    }
  }

  /** Begins to deliver what is waiting. */
  static async open(deps: WebhooksDeps): Promise<Webhooks> {
    const webhooks = new Webhooks(deps)
    await deps.queues.work(webhooks.#queue, { concurrency: maxParallelDeliveries }, async ({ id }, attempt) =>
      webhooks.#deliver(id, attempt),
    )
    return webhooks
  }

  /**
   * Sends an event if the webhook asks for it. With `db`, a transaction, it is sent when that commits. Answers the id of
   * the delivery; undefined: it was not asked for, or was sent before.
   */
  async send(message: WebhookMessage, { db }: { readonly db?: Kysely<Database> } = {}): Promise<string | undefined> {
    const { target, event, jobId, body } = message
    if (!isSubscribed(target, event)) return undefined
    const id = uuidV7()
    const { metadata } = target
    const { success, data, error } = body
    const row = {
      id,
      teamId: message.teamId,
      uniqueKey: message.uniqueKey,
      event,
      jobId,
      url: target.url,
      headers: JSON.stringify(target.headers),
      payload: JSON.stringify({ success, type: event, id: jobId, webhookId: id, data, error, metadata }),
      keepsPayload: message.keepsPayload ?? true,
    }
    const enter = async (transaction: Kysely<Database>): Promise<string | undefined> => {
      if (!(await insertDelivery(transaction, row))) return undefined
      await this.#deps.queues.send(this.#queue, { id }, { db: transaction })
      return id
    }
    return db === undefined ? this.#deps.store.db.transaction().execute(enter) : enter(db)
  }

  /** Deliveries of a team, newest first. */
  async list(filter: DeliveryFilter): Promise<readonly Omit<DeliveryRow, 'payload'>[]> {
    return listDeliveries(this.#deps.store.db, filter)
  }

  /** One delivery of a team. Throws DELIVERY_NOT_FOUND. */
  async get(id: string, teamId: string): Promise<DeliveryRow> {
    const row = isUuid(id) ? await findDelivery(this.#deps.store.db, id) : undefined
    if (row?.teamId === teamId) return row
    throw new BowlineError('DELIVERY_NOT_FOUND', `There is no delivery with the id ${JSON.stringify(id)}`)
  }

  /** Sends a delivery again, with the same body. Throws DELIVERY_NOT_FOUND, CONFLICT while it is on its way, DELIVERY_GONE when its body was removed. */
  async redeliver(id: string, teamId: string): Promise<DeliveryRow> {
    const { status, payload } = await this.get(id, teamId)
    if (status === 'pending') throw new BowlineError('CONFLICT', `The delivery ${id} is on its way already`)
    if (payload === undefined) {
      throw new BowlineError('DELIVERY_GONE', `The body of the delivery ${id} was removed, so it cannot be sent again`)
    }
    await this.#deps.store.db.transaction().execute(async (db) => {
      if (await reopenDelivery(db, id)) await this.#deps.queues.send(this.#queue, { id }, { db })
    })
    return this.get(id, teamId)
  }

  async #deliver(id: string, { attempt, signal }: Attempt): Promise<void> {
    const { store, dispatcher, userAgent } = this.#deps
    const row = await findDelivery(store.db, id)
    if (row?.status !== 'pending' || row.payload === undefined) return
    const secret = (await findWebhookSecret(store.db, row.teamId)) ?? this.#deps.secret
    const outcome = await postEvent({
      dispatcher,
      url: row.url,
      headers: {
        'user-agent': userAgent,
        ...lowerCased(JSON.parse(row.headers) as Record<string, string>),
        'content-type': 'application/json',
        ...(secret === undefined ? {} : { [signatureHeader]: signBody(secret, row.payload) }),
      },
      body: row.payload,
      timeoutMs: responseTimeoutMs,
      signal,
    })
    await this.#settle(row, attempt, outcome)
  }

  /** Writes a try down. Throws when there is another one to come. */
  async #settle(row: DeliveryRow, attempt: number, outcome: PostOutcome): Promise<void> {
    const { isFinal, ...facts } = outcome
    const now = new Date()
    const tries = JSON.parse(row.attempts) as object[]
    const attempts = JSON.stringify([...tries, { at: now.toISOString(), ...facts }].slice(-maxStoredAttempts))
    const delay = isFinal ? undefined : this.#queue.retryDelaysSeconds?.[attempt - 1]
    const isDelivered = facts.error === undefined
    await recordAttempt(this.#deps.store.db, row.id, {
      attempts,
      status: isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'pending',
      deliveredAt: isDelivered ? now : undefined,
      nextAttemptAt: delay === undefined ? undefined : new Date(now.getTime() + delay * 1000),
      dropsPayload: delay === undefined && !row.keepsPayload,
    })
    if (delay !== undefined) throw new Error(`The delivery ${row.id} was not taken: ${facts.error}`)
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
