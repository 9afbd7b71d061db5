import type { Generated } from 'kysely'
import type { DeliveryStatus } from 'bowline/contract/webhooks'
import type { JsonText, Nullable, Timestamp } from './columns.ts'

/** A delivery of an event to a webhook. Its id is the `webhookId` in the body. */
export interface WebhookDeliveryTable {
  readonly id: string
  readonly teamId: string
  /** Deduplication key of the event. */
  readonly uniqueKey: Nullable<string>
  readonly event: string
  readonly jobId: string
  readonly url: string
  /** Custom headers. `json`, because of names that differ only in case, the last one is sent. */
  readonly headers: JsonText
  /** Request body. Null: deleted. JSON in a `text` column: its signature covers its bytes. */
  readonly payload: Nullable<JsonText>
  readonly keepsPayload: Generated<boolean>
  readonly status: Generated<DeliveryStatus>
  readonly attempts: Generated<JsonText>
  readonly nextAttemptAt: Nullable<Date>
  readonly deliveredAt: Nullable<Date>
  readonly createdAt: Timestamp
}

/** Webhook signing secret of a team. */
export interface WebhookSecretTable {
  readonly teamId: string
  readonly secret: string
  readonly createdAt: Timestamp
}
