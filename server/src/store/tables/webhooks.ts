import type { Generated } from 'kysely'
import type { DeliveryStatus } from 'bowline/contract/webhooks'
import type { Nullable, Timestamp } from '../columns.ts'

/** An event on its way to a webhook, or arrived. Its id is the `webhookId` of the body. */
export interface WebhookDeliveryTable {
  readonly id: string
  readonly teamId: string
  /** Tells the event: the same one is not entered twice. */
  readonly uniqueKey: Nullable<string>
  readonly event: string
  readonly jobId: string
  readonly url: string
  /** Headers of the caller, as JSON. */
  readonly headers: string
  /** The body as it is posted. Null: it was removed. */
  readonly payload: Nullable<string>
  readonly keepsPayload: Generated<boolean>
  readonly status: Generated<DeliveryStatus>
  /** Every try, as JSON. */
  readonly attempts: Generated<string>
  readonly nextAttemptAt: Nullable<Date>
  readonly deliveredAt: Nullable<Date>
  readonly createdAt: Timestamp
}

/** What the deliveries of a team are signed with. */
export interface WebhookSecretTable {
  readonly teamId: string
  readonly secret: string
  readonly createdAt: Timestamp
}
