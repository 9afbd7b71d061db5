import { z } from 'zod'
import { withShorthand } from './shorthand.ts'
import { atMostEntries, boundedArray } from './bounded.ts'
import { webAddress } from './map.ts'
import { requestHeaders } from './request-headers.ts'

/**
 * Header with the signature of a delivery: `sha256=` and the hexadecimal HMAC-SHA256 of the body.
 * Named so that existing receivers of that API work unchanged.
 */
export const signatureHeader = 'X-Firecrawl-Signature'

const webhookHeaders = requestHeaders.superRefine((headers, context) => {
  for (const name of Object.keys(headers)) {
    if (!/^(?:x-firecrawl-signature|content-.*)$/i.test(name)) continue
    context.addIssue({
      code: 'custom',
      path: [name],
      message: 'this header is set by the server. Remove it',
      input: headers,
    })
  }
})

/** Fields of a webhook, except its events. */
export const webhookFields = {
  /** URL that receives the events, as POST requests with JSON. */
  url: webAddress.clone(),
  /** Headers of each delivery, at most 100. */
  headers: webhookHeaders.default({}),
  /** Included in the body of each delivery. At most 100 entries. */
  metadata: z.record(z.string().max(200), z.string().max(8192)).superRefine(atMostEntries(100)).default({}),
} as const

/**
 * Creates the schema of a webhook with the given events: a URL or an object. Default: all events.
 */
export function webhookFor<const Events extends readonly [string, ...string[]]>(events: Events) {
  return withShorthand(
    z.strictObject({
      ...webhookFields,
      /** Events to send; none if the list is empty. Default: all. */
      events: boundedArray(z.enum(events), 20).default([...events]),
    }),
    (value) => (typeof value === 'string' ? { url: value } : value),
  ) as unknown as z.ZodType<WebhookSpec, string | WebhookInput<Events[number]>>
}

/** A validated webhook. */
export interface WebhookSpec {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly metadata: Readonly<Record<string, string>>
  readonly events: readonly string[]
}

/**
 * A webhook as callers send it.
 *
 * @example
 * ```ts
 * import { Bowline, type WebhookInput } from 'bowline'
 *
 * const webhook: WebhookInput<'completed' | 'failed'> = {
 *   url: 'https://example.com/hooks',
 *   headers: { 'x-source': 'bowline' },
 *   metadata: { order: '4711' },
 *   events: ['completed', 'failed'],
 * }
 * await new Bowline().batchScrape(['https://example.com'], { webhook })
 * ```
 */
export interface WebhookInput<Event extends string = string> {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Events to send; none if the list is empty. Default: all. */
  readonly events?: readonly Event[] | undefined
}

/** Schema of the webhook of a batch or crawl. */
export const jobWebhook = webhookFor(['started', 'page', 'completed', 'failed'])

/** Schema of the webhook of a monitor. */
export const monitorWebhook = webhookFor(['monitor.page', 'monitor.check.completed'])

/** Schema of the webhook of a session. */
export const sessionWebhook = webhookFor(['session.started', 'session.handoff', 'session.ended'])

/** Status of a delivery. `pending` until it was accepted or its last retry failed. */
export const deliveryStatus = z.enum(['pending', 'delivered', 'failed'])

/** An attempt to deliver an event. */
const attempt = z.looseObject({
  at: z.string(),
  /** Status code of the response. */
  statusCode: z.int().optional(),
  /** Why the attempt failed. */
  error: z.string().optional(),
  durationMs: z.int(),
})

/** A delivery of an event to a webhook. Its request headers are not included. */
export const delivery = z.looseObject({
  /** Id, the same as `webhookId` in the body. */
  id: z.string(),
  /** Event type, such as `batch_scrape.page` or `session.ended`. */
  event: z.string(),
  /** Id of the job, the session or the check. */
  jobId: z.string(),
  url: z.string(),
  status: deliveryStatus,
  attempts: z.array(attempt),
  nextAttemptAt: z.string().optional(),
  deliveredAt: z.string().optional(),
  createdAt: z.string(),
  /**
   * Body of the delivery. Present only when a single delivery is read, until the body is deleted.
   */
  payload: z.unknown().optional(),
})

/** Query of `GET /v2/team/webhooks/deliveries`. */
export const listDeliveriesQuery = z.object({
  /** Maximum number of deliveries, 1 to 100. Default: 50. */
  limit: z.coerce.number<number | string>().int().min(1).max(100).default(50),
  /** `cursor` of the previous response. */
  cursor: z.string().max(200).optional(),
  status: deliveryStatus.optional(),
  jobId: z.string().max(100).optional(),
  /**
   * Only deliveries whose id or `jobId` starts with this text, or whose URL or event contain it.
   */
  search: z.string().trim().min(1).max(200).optional(),
  /** Only deliveries that were created at this time or later. */
  from: z.iso.datetime({ offset: true }).optional(),
  /** Only deliveries that were created before this time. */
  to: z.iso.datetime({ offset: true }).optional(),
})

/** Response of `GET /v2/team/webhooks/deliveries`, newest first. */
export const listDeliveriesResponse = z.looseObject({
  success: z.literal(true),
  data: z.array(delivery),
  /** Cursor of the next page; `null` on the last page. */
  cursor: z.string().nullable(),
})

/** Path parameters of a delivery. */
export const deliveryParams = z.object({ id: z.guid('must be the id of a delivery') })

/** Response of the routes about one delivery. */
export const deliveryResponse = z.looseObject({ success: z.literal(true), data: delivery })

/** Response of `POST /v2/team/webhooks/secret`. The only response that contains the secret. */
export const webhookSecretResponse = z.looseObject({ success: z.literal(true), secret: z.string() })

/** Response of `DELETE /v2/team/webhooks/secret`. */
export const deleteWebhookSecretResponse = z.looseObject({ success: z.literal(true) })

/**
 * A webhook event and the attempts to deliver it.
 *
 * @example
 * ```ts
 * import { Bowline, type Delivery } from 'bowline'
 *
 * const print = ({ event, attempts }: Delivery) => console.log(event, attempts.at(-1)?.error)
 * const deliveries = new Bowline().webhooks.deliveries({ status: 'failed' })
 * for await (const delivery of deliveries) print(delivery)
 * ```
 */
export type Delivery = z.output<typeof delivery>
export type DeliveryStatus = z.output<typeof deliveryStatus>
export type ListDeliveriesOptions = z.input<typeof listDeliveriesQuery>
