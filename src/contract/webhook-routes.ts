import type { Route } from './route.ts'
import * as webhooks from './webhooks.ts'

/** The endpoints of what is sent to webhooks. */
export const webhookRoutes = {
  listDeliveries: {
    method: 'GET',
    path: '/v2/team/webhooks/deliveries',
    summary: 'List what was sent to webhooks in the last seven days, newest first',
    query: webhooks.listDeliveriesQuery,
    response: webhooks.listDeliveriesResponse,
  },
  getDelivery: {
    method: 'GET',
    path: '/v2/team/webhooks/deliveries/{id}',
    summary: 'Read one delivery with its tries and its body',
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
    summary: 'Make a new secret that signs what the team is sent; it is shown this once (admin keys only)',
    response: webhooks.webhookSecretResponse,
  },
  deleteWebhookSecret: {
    method: 'DELETE',
    path: '/v2/team/webhooks/secret',
    summary: 'Remove the secret of the team (admin keys only)',
    response: webhooks.deleteWebhookSecretResponse,
  },
} as const satisfies Record<string, Route>
