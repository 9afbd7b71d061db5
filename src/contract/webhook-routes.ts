import type { Route } from './route.ts'
import * as webhooks from './webhooks.ts'

/** Routes of webhook deliveries and secrets. */
export const webhookRoutes = {
  listDeliveries: {
    method: 'GET',
    path: '/v2/team/webhooks/deliveries',
    summary: 'List the webhook deliveries of the last seven days, newest first',
    query: webhooks.listDeliveriesQuery,
    response: webhooks.listDeliveriesResponse,
  },
  getDelivery: {
    method: 'GET',
    path: '/v2/team/webhooks/deliveries/{id}',
    summary: 'Get a delivery with its attempts and body',
    params: webhooks.deliveryParams,
    response: webhooks.deliveryResponse,
  },
  redeliver: {
    method: 'POST',
    path: '/v2/team/webhooks/deliveries/{id}/redeliver',
    summary: 'Send a delivery again, with the same body',
    params: webhooks.deliveryParams,
    response: webhooks.deliveryResponse,
  },
  makeWebhookSecret: {
    method: 'POST',
    path: '/v2/team/webhooks/secret',
    summary: 'Create a new secret that signs the deliveries of the team; it is shown only once (admin keys only)',
    response: webhooks.webhookSecretResponse,
  },
  deleteWebhookSecret: {
    method: 'DELETE',
    path: '/v2/team/webhooks/secret',
    summary: 'Delete the webhook secret of the team (admin keys only)',
    response: webhooks.deleteWebhookSecretResponse,
  },
} as const satisfies Record<string, Route>
