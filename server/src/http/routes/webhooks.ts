import type { z } from 'zod'
import type { delivery } from 'bowline/contract/webhooks'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid, randomSecret } from 'bowline/kit/ids'
import type { AuditLog } from '../../audit/audit-log.ts'
import type { KeyRow } from '../../teams/key-queries.ts'
import type { Store } from '../../store/store.ts'
import { deleteWebhookSecret, payloadOf, saveWebhookSecret, type DeliveryRow } from '../../webhooks/webhook-queries.ts'
import type { Webhooks } from '../../webhooks/webhooks.ts'
import { callerOf } from '../audit-caller.ts'
import type { Handlers } from '../register.ts'

/** Dependencies of the webhook routes. */
export interface WebhookRouteDeps {
  readonly store: Store
  readonly webhooks: Webhooks
  readonly audit: Pick<AuditLog, 'record'>
}

/** Routes of webhook deliveries and secrets. */
export function webhookHandlers({ store, webhooks, audit }: WebhookRouteDeps): Handlers {
  return {
    listDeliveries: async ({ query: { cursor, from, to, ...filter } }, { key: { teamId } }) => {
      if (cursor !== undefined && !isUuid(cursor)) throw new BowlineError('BAD_REQUEST', 'Invalid cursor.')
      const { deliveries, next } = await webhooks.list({
        ...filter,
        teamId,
        before: cursor,
        from: from === undefined ? undefined : new Date(from),
        to: to === undefined ? undefined : new Date(to),
      })
      return { success: true, data: deliveries.map(describe), cursor: next ?? null }
    },
    getDelivery: async ({ params }, { key }) => {
      const row = await webhooks.get(params.id, key.teamId)
      return { success: true, data: { ...describe(row), payload: payloadOf(row) } }
    },
    redeliver: async ({ params }, { key }) => ({
      success: true,
      data: describe(await webhooks.redeliver(params.id, key.teamId)),
    }),
    makeWebhookSecret: async (_input, call) => {
      const { key } = call
      requireAdmin(key)
      const secret = `whsec_${randomSecret()}`
      await saveWebhookSecret(store.db, key.teamId, secret)
      const event = { action: 'webhook-secret.set', message: 'Webhook secret set' } as const
      await audit.record({ ...event, teamId: key.teamId, by: callerOf(call) })
      return { success: true, secret }
    },
    deleteWebhookSecret: async (_input, call) => {
      const { key } = call
      requireAdmin(key)
      await deleteWebhookSecret(store.db, key.teamId)
      const event = { action: 'webhook-secret.deleted', message: 'Webhook secret deleted' } as const
      await audit.record({ ...event, teamId: key.teamId, by: callerOf(call) })
      return { success: true }
    },
  }
}

function requireAdmin(key: KeyRow): void {
  if (key.role !== 'admin') {
    throw new BowlineError('FORBIDDEN', 'Only an admin key may create or delete the webhook secret')
  }
}

function describe(row: Omit<DeliveryRow, 'payload'>): z.input<typeof delivery> {
  return {
    id: row.id,
    event: row.event,
    jobId: row.jobId,
    url: row.url,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.nextAttemptAt?.toISOString(),
    deliveredAt: row.deliveredAt?.toISOString(),
    createdAt: row.createdAt.toISOString(),
  }
}
