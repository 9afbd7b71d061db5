import type { WebhookSpec } from 'bowline/contract/webhooks'

/** Whether a webhook wants an event: by its whole name, its second part, or all after its first part. */
export function isSubscribed({ events }: Pick<WebhookSpec, 'events'>, event: string): boolean {
  const [, second, ...rest] = event.split('.')
  return [event, second, [second, ...rest].join('.')].some((name) => name !== undefined && events.includes(name))
}
