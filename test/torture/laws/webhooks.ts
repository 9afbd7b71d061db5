import { sql } from 'kysely'
import type { Store } from '../../../server/src/store/store.ts'
import type { Received } from '../../lab/receiver.ts'

/** Result of `checkWebhooks`. */
export interface CheckedWebhooks {
  readonly broken: readonly string[]
  /** Number of events. */
  readonly deliveries: number
  /** Number of events that were received more than once. */
  readonly repeated: number
}

/** Checks that each event was received at least once, always with the same id. */
export async function checkWebhooks({ db }: Store, received: readonly Received[]): Promise<CheckedWebhooks> {
  const { rows } = await sql<{ id: string; event: string; status: string }>`
    select id, event, status from webhook_delivery`.execute(db)
  const times = new Map<string, number>()
  const idsOf = new Map<string, Set<string>>()
  for (const { body } of received) {
    const id = String(body['webhookId'])
    times.set(id, (times.get(id) ?? 0) + 1)
    const event = eventOf(body)
    idsOf.set(event, (idsOf.get(event) ?? new Set()).add(id))
  }
  const known = new Set(rows.map(({ id }) => id))
  const broken = [
    ...rows
      .filter(({ id, status }) => status !== 'delivered' || !times.has(id))
      .map(({ id, event, status }) => `webhook ${id} ${event} is ${status}, received ${times.get(id) ?? 0} times`),
    ...[...times.keys()].filter((id) => !known.has(id)).map((id) => `webhook ${id} was received, but is not stored`),
    ...[...idsOf]
      .filter(([, ids]) => ids.size > 1)
      .map(([event, ids]) => `the event ${event} has several ids: ${[...ids].join(' ')}`),
  ]
  return { broken, deliveries: rows.length, repeated: [...times.values()].filter((count) => count > 1).length }
}

/** Identifies an event: a page of a job or a check has its own. */
function eventOf({ type, id, data }: Received['body']): string {
  const page = data?.[0]?.metadata?.scrapeId ?? data?.[0]?.url ?? ''
  return `${type} ${id} ${page}`
}
