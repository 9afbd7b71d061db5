import type { Delivery } from 'bowline/contract/webhooks'
import type { Api } from '../api/api.ts'
import type { PageOfRows } from '../frame/use-pages.ts'
import { linkTo } from '../frame/route.ts'
import { isJobKind } from '../jobs/job-calls.ts'

const pageSize = 50

/** Statuses of a delivery. */
export const deliveryStates = ['pending', 'delivered', 'failed'] as const

/** Lists deliveries of the last seven days, newest first, filtered by `status` unless empty. */
export async function listDeliveries(
  api: Api,
  { status, cursor }: { readonly status: string; readonly cursor: string | undefined },
  signal?: AbortSignal,
): Promise<PageOfRows<Delivery>> {
  // The page's URL may contain any status. The server rejects unknown ones.
  const query = { limit: pageSize, cursor, status: status as (typeof deliveryStates)[number] }
  const page = await api.call('listDeliveries', { query }, signal)
  return { rows: page.data, cursor: page.cursor }
}

/** Reads a delivery with its attempts and body. */
export async function readDelivery(api: Api, id: string, signal: AbortSignal): Promise<Delivery> {
  return (await api.call('getDelivery', { params: { id } }, signal)).data
}

/** Sends a delivery again. */
export async function redeliver(api: Api, id: string): Promise<unknown> {
  return api.call('redeliver', { params: { id } })
}

/** Link to the job of a delivery. `undefined` for monitors, whose deliveries name only a check. */
export function jobLinkOf({ event, jobId }: Delivery): string | undefined {
  const kind = event.split('.')[0] ?? ''
  return isJobKind(kind) ? linkTo(['jobs', kind, jobId]) : undefined
}
