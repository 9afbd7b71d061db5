import type { WebhookSpec } from 'bowline/contract/webhooks'

/**
 * Whether a webhook subscribes to an event: by its full name (`batch_scrape.page`), its second
 * segment (`page`), or everything after the first segment.
 */
export function isSubscribed({ events }: Pick<WebhookSpec, 'events'>, event: string): boolean {
  const [, second, ...rest] = event.split('.')
  return [event, second, [second, ...rest].join('.')].some((name) => name !== undefined && events.includes(name))
}
