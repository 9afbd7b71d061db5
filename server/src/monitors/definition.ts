import type { Notification, Target } from 'bowline/contract/monitors'
import type { WebhookSpec } from 'bowline/contract/webhooks'
import type { MonitorRow } from '../store/monitors.ts'

/** A target with its id. */
export type KnownTarget = Target & { readonly id: string }

/** What a monitor is made of, out of the JSON it is stored as. */
export interface Definition {
  readonly targets: readonly KnownTarget[]
  readonly webhook: WebhookSpec | undefined
  readonly notification: Notification
}

/** Reads what a stored monitor is made of. */
export function definitionOf({
  targets,
  webhook,
  notification,
}: Pick<MonitorRow, 'targets' | 'webhook' | 'notification'>): Definition {
  return {
    targets: JSON.parse(targets) as Definition['targets'],
    webhook: webhook === undefined ? undefined : (JSON.parse(webhook) as WebhookSpec),
    notification: JSON.parse(notification) as Notification,
  }
}
