import { paths } from './paths.ts'
import type { Route } from './route.ts'
import * as webhooks from './webhooks.ts'

/** Routes of webhook deliveries and secrets. */
export const webhookRoutes = {
  listDeliveries: {
    ...paths.listDeliveries,
    tag: 'Webhooks',
    rateLimit: 'account',
    summary: 'List the webhook deliveries of the last seven days, newest first',
    query: webhooks.listDeliveriesQuery,
    response: webhooks.listDeliveriesResponse,
  },
  getDelivery: {
    ...paths.getDelivery,
    tag: 'Webhooks',
    rateLimit: 'account',
    summary: 'Get a delivery with its attempts and body',
    params: webhooks.deliveryParams,
    response: webhooks.deliveryResponse,
  },
  redeliver: {
    ...paths.redeliver,
    tag: 'Webhooks',
    rateLimit: 'account',
    summary: 'Send a delivery again, with the same body',
    params: webhooks.deliveryParams,
    response: webhooks.deliveryResponse,
  },
  makeWebhookSecret: {
    ...paths.makeWebhookSecret,
    tag: 'Webhooks',
    rateLimit: 'account',
    summary: 'Create a new secret that signs the deliveries of the team; it is shown only once (admin keys only)',
    response: webhooks.webhookSecretResponse,
  },
  deleteWebhookSecret: {
    ...paths.deleteWebhookSecret,
    tag: 'Webhooks',
    rateLimit: 'account',
    summary: 'Delete the webhook secret of the team (admin keys only)',
    response: webhooks.deleteWebhookSecretResponse,
  },
} as const satisfies Record<string, Route>
