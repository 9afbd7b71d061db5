import { z } from 'zod'
import { withShorthand } from './shorthand.ts'
import { atMostEntries, boundedArray } from './bounded.ts'
import { webAddress } from './map.ts'
import { requestHeaders } from './request-headers.ts'

/** Header that carries the signature of a delivery: `sha256=` and the HMAC-SHA256 of the body as hexadecimal text. */
export const signatureHeader = 'X-Firecrawl-Signature'

const webhookHeaders = requestHeaders.superRefine((headers, context) => {
  for (const name of Object.keys(headers)) {
    if (!/^(?:x-firecrawl-signature|content-.*)$/i.test(name)) continue
    context.addIssue({
      code: 'custom',
      path: [name],
      message: 'the server sets this header, so leave it out',
      input: headers,
    })
  }
})

/** Makes the schema of a webhook that may ask for the given events: an address alone, or an object. Default: all events. */
export function webhookFor<const Events extends readonly [string, ...string[]]>(events: Events) {
  return withShorthand(
    z.strictObject({
      /** Where events are posted to. */
      url: webAddress,
      /** Sent with each delivery. */
      headers: webhookHeaders.default({}),
      /** Repeated in the body of each delivery. At most 100 entries. */
      metadata: z.record(z.string().max(200), z.string().max(8192)).superRefine(atMostEntries(100)).default({}),
      events: boundedArray(z.enum(events), 20).default([...events]),
    }),
    (value) => (typeof value === 'string' ? { url: value } : value),
  ) as unknown as z.ZodType<WebhookSpec, string | WebhookInput<Events[number]>>
}

/** Where events are posted to, and which. */
export interface WebhookSpec {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly metadata: Readonly<Record<string, string>>
  readonly events: readonly string[]
}

/** A webhook as callers write it. */
export interface WebhookInput<Event extends string = string> {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Default: all. */
  readonly events?: readonly Event[] | undefined
}

/** The webhook of a job with pages, such as a batch. */
export const jobWebhook = webhookFor(['started', 'page', 'completed', 'failed'])

/** The webhook of a monitor. */
export const monitorWebhook = webhookFor(['monitor.page', 'monitor.check.completed'])

/** What became of a delivery: `pending` until it was taken, or given up after the last retry. */
export const deliveryStatus = z.enum(['pending', 'delivered', 'failed'])

/** One try to deliver. */
const attempt = z.looseObject({
  at: z.string(),
  /** What the receiver answered. */
  statusCode: z.int().optional(),
  /** Why the try counts as failed. */
  error: z.string().optional(),
  durationMs: z.int(),
})

/** An event on its way to a webhook, or arrived. Headers of the receiver are not shown. */
export const delivery = z.looseObject({
  /** The `webhookId` of the body. */
  id: z.string(),
  /** Such as `batch_scrape.page`. */
  event: z.string(),
  /** Id of the job, or of the check of a monitor. */
  jobId: z.string(),
  url: z.string(),
  status: deliveryStatus,
  attempts: z.array(attempt),
  nextAttemptAt: z.string().optional(),
  deliveredAt: z.string().optional(),
  createdAt: z.string(),
  /** What is posted. Only where one delivery is read, and until it is removed. */
  payload: z.unknown().optional(),
})

/** Query of `GET /v2/team/webhooks/deliveries`. */
export const listDeliveriesQuery = z.object({
  /** 1 to 100. Default 50. */
  limit: z.coerce.number<number | string>().int().min(1).max(100).default(50),
  /** Where the last answer ended. */
  cursor: z.string().max(200).optional(),
  status: deliveryStatus.optional(),
  jobId: z.string().max(100).optional(),
})

/** Answer of `GET /v2/team/webhooks/deliveries`, newest first. */
export const listDeliveriesResponse = z.looseObject({
  success: z.literal(true),
  data: z.array(delivery),
  /** For the next page. Null: this is the last. */
  cursor: z.string().nullable(),
})

/** Path parameter that names a delivery. */
export const deliveryParams = z.object({ id: z.guid('it is no id of a delivery') })

/** Answer of the routes about one delivery. */
export const deliveryResponse = z.looseObject({ success: z.literal(true), data: delivery })

/** Answer of `POST /v2/team/webhooks/secret`: the only place where the secret is shown. */
export const webhookSecretResponse = z.looseObject({ success: z.literal(true), secret: z.string() })

/** Answer of `DELETE /v2/team/webhooks/secret`. */
export const deleteWebhookSecretResponse = z.looseObject({ success: z.literal(true) })

export type Delivery = z.output<typeof delivery>
export type DeliveryStatus = z.output<typeof deliveryStatus>
export type ListDeliveriesOptions = z.input<typeof listDeliveriesQuery>
