import type { Notification, Target } from 'bowline/contract/monitors'
import type { WebhookSpec } from 'bowline/contract/webhooks'
import type { MonitorRow } from './queries/monitors.ts'

/** A target with its id. */
export type StoredTarget = Target & { readonly id: string }

/** The parsed JSON columns of a monitor. */
export interface Definition {
  readonly targets: readonly StoredTarget[]
  readonly webhook: WebhookSpec | undefined
  readonly notification: Notification
}

/** Parses the JSON columns of a monitor. */
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
