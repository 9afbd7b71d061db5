import type { Check, CheckStatus, Monitor } from 'bowline/contract/monitor-checks'
import type { CreateMonitorOptions, UpdateMonitorOptions } from 'bowline/contract/monitors'
import type { RouteInput, RouteOutput } from 'bowline/contract/route-types'
import type { Api } from '../api/api.ts'
import { spanOf } from '../components/time-span.ts'
import type { PageOfRows } from '../frame/use-pages.ts'

type CheckQuery = RouteInput<'getCheck'>['query']

/** A check with some of its pages. */
export type CheckWithPages = RouteOutput<'getCheck'>['data']

/** Maximum number of listed monitors. */
export const maxMonitors = 100

/** Lists the monitors of the team. */
export async function listMonitors(api: Api, signal: AbortSignal): Promise<readonly Monitor[]> {
  return (await api.call('listMonitors', { query: { limit: maxMonitors } }, signal)).data
}

/** Reads a monitor. */
export async function readMonitor(api: Api, id: string, signal: AbortSignal): Promise<Monitor> {
  return (await api.call('getMonitor', { params: { id } }, signal)).data
}

/** Values of the filter by status. The page does not load the schema of the contract. */
export const checkStatuses: readonly CheckStatus[] = [
  'queued',
  'running',
  'completed',
  'partial',
  'failed',
  'skipped_overlap',
  'skipped_no_credits',
]

interface CheckFilters {
  /** Id of the monitor. */
  readonly id: string
  /** Empty for all. */
  readonly status: string
  /** Time range of the creation. */
  readonly range: string
  readonly cursor: string | undefined
}

const checksPerPage = 25

/** Reads a page of the checks of a monitor, newest first. */
export async function listChecks(
  api: Api,
  { id, status, range, cursor }: CheckFilters,
  signal?: AbortSignal,
): Promise<PageOfRows<Check>> {
  const offset = Number(cursor ?? 0)
  const query = {
    status: status === '' ? undefined : (status as CheckStatus),
    ...spanOf(range),
    limit: checksPerPage,
    offset,
  }
  const { data } = await api.call('listChecks', { params: { id }, query }, signal)
  return { rows: data, cursor: data.length < checksPerPage ? null : String(offset + checksPerPage) }
}

/** Reads a check with its pages, filtered by `status` unless that is `undefined`. */
export async function readCheck(
  api: Api,
  id: string,
  checkId: string,
  status: CheckQuery['status'],
  signal: AbortSignal,
): Promise<CheckWithPages> {
  return (await api.call('getCheck', { params: { id, checkId }, query: { limit: 100, status } }, signal)).data
}

/** Creates a monitor. */
export async function createMonitor(api: Api, options: CreateMonitorOptions): Promise<Monitor> {
  return (await api.call('createMonitor', { body: options })).data
}

/** Changes a monitor. */
export async function updateMonitor(api: Api, id: string, changes: UpdateMonitorOptions): Promise<unknown> {
  return api.call('updateMonitor', { params: { id }, body: changes })
}

/** Deletes a monitor. */
export async function deleteMonitor(api: Api, id: string): Promise<unknown> {
  return api.call('deleteMonitor', { params: { id } })
}

/** Starts a check now. */
export async function runMonitor(api: Api, id: string): Promise<unknown> {
  return api.call('runMonitor', { params: { id } })
}

/** Summarizes the URLs and queries that a monitor checks. */
export function describeTargets({ targets }: Monitor): string {
  const names = targets.flatMap((target) => {
    const { urls, url, queries } = target as { urls?: string[]; url?: string; queries?: string[] }
    return [...(urls ?? []), ...(url === undefined ? [] : [url]), ...(queries ?? [])]
  })
  const [first = 'no targets', ...others] = names
  return others.length === 0 ? first : `${first} and ${others.length} more`
}
