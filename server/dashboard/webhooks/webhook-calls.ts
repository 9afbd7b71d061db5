import type { Delivery } from 'bowline/contract/webhooks'
import type { Api } from '../api/api.ts'
import type { CsvRow } from '../components/csv.ts'
import { spanOf } from '../components/time-span.ts'
import type { PageOfRows } from '../frame/use-pages.ts'
import { linkTo } from '../frame/route.ts'
import { isJobKind } from '../jobs/job-calls.ts'

const pageSize = 100

/** Statuses of a delivery. */
export const deliveryStates = ['pending', 'delivered', 'failed'] as const

/** Filters of the list. Empty for all. */
export interface DeliveryFilters {
  /** Id of a job, session or check. */
  readonly job: string
  readonly status: string
  readonly search: string
  /** Name of a time range. */
  readonly range: string
}

/** Lists deliveries of the last seven days, newest first. */
export async function listDeliveries(
  api: Api,
  { job, status, search, range }: DeliveryFilters,
  cursor: string | undefined,
  signal?: AbortSignal,
): Promise<PageOfRows<Delivery>> {
  const query = {
    limit: pageSize,
    cursor,
    jobId: job === '' ? undefined : job,
    // The page's URL may contain any status. The server rejects unknown ones.
    status: status === '' ? undefined : (status as (typeof deliveryStates)[number]),
    search: search === '' ? undefined : search,
    ...spanOf(range),
  }
  const page = await api.call('listDeliveries', { query }, signal)
  return { rows: page.data, cursor: page.cursor }
}

/** Reads all deliveries, newest first, as rows of a CSV file. */
export async function readDeliveryRows(api: Api, filters: DeliveryFilters): Promise<readonly CsvRow[]> {
  const rows: CsvRow[] = []
  for (let cursor: string | undefined; ;) {
    const page = await listDeliveries(api, filters, cursor)
    rows.push(...page.rows.map(toCsvRow))
    if (page.cursor === null) return rows
    cursor = page.cursor
  }
}

function toCsvRow(delivery: Delivery): CsvRow {
  const { id, event, jobId, url, status, attempts, createdAt, deliveredAt } = delivery
  const response = lastResponse(delivery)
  return {
    created: createdAt,
    delivered: deliveredAt,
    event,
    job: jobId,
    id,
    url,
    status,
    attempts: attempts.length,
    response,
  }
}

/** Error or status code of the last attempt. Empty if there was none. */
export function lastResponse({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  return last?.error ?? (last?.statusCode === undefined ? '' : String(last.statusCode))
}

/** Reads a delivery with its attempts and body. */
export async function readDelivery(api: Api, id: string, signal: AbortSignal): Promise<Delivery> {
  return (await api.call('getDelivery', { params: { id } }, signal)).data
}

/** Sends a delivery again. */
export async function redeliver(api: Api, id: string): Promise<unknown> {
  return api.call('redeliver', { params: { id } })
}

/**
 * Link to the job, session or check of a delivery. `undefined` for a check whose body is deleted.
 */
export function jobLinkOf({ event, jobId, payload }: Delivery): string | undefined {
  const kind = event.split('.')[0] ?? ''
  if (kind === 'session') return linkTo(['sessions', jobId])
  if (kind === 'monitor') {
    const monitorId = monitorIdOf(payload)
    return monitorId === undefined ? undefined : linkTo(['monitors', monitorId, jobId])
  }
  return isJobKind(kind) ? linkTo(['jobs', kind, jobId]) : undefined
}

/** The id of the monitor in the body of a delivery. */
function monitorIdOf(payload: Delivery['payload']): string | undefined {
  const { data } = (payload ?? {}) as { readonly data?: unknown }
  const [first] = Array.isArray(data) ? (data as readonly { readonly monitorId?: unknown }[]) : []
  return typeof first?.monitorId === 'string' ? first.monitorId : undefined
}

/** Names the subject of an event: a job, a session, or the check of a monitor. */
export function subjectOf({ event }: Delivery): 'job' | 'session' | 'check' {
  const kind = event.split('.')[0]
  return kind === 'session' ? kind : kind === 'monitor' ? 'check' : 'job'
}
