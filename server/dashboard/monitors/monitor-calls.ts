import type { Check, CheckPage, Monitor } from 'bowline/contract/monitor-checks'
import type { CreateMonitorOptions, UpdateMonitorOptions } from 'bowline/contract/monitors'
import type { Api } from '../api/api.ts'

/** A check with some of its pages. */
export interface CheckWithPages extends Check {
  readonly pages: CheckPage[]
  readonly next?: string
}

const path = '/v2/monitor'

/** Maximum number of listed monitors. */
export const maxMonitors = 100

/** Maximum number of listed checks of a monitor. */
export const maxChecks = 50

/** Lists the monitors of the team. */
export async function listMonitors(api: Api, signal: AbortSignal): Promise<readonly Monitor[]> {
  return (await api.get<{ data: readonly Monitor[] }>(`${path}?limit=${maxMonitors}`, signal)).data
}

function pathOf(id: string): string {
  return `${path}/${encodeURIComponent(id)}`
}

/** Reads a monitor and its latest checks. */
export async function readMonitor(
  api: Api,
  id: string,
  signal: AbortSignal,
): Promise<{ readonly monitor: Monitor; readonly checks: readonly Check[] }> {
  const [monitor, checks] = await Promise.all([
    api.get<{ data: Monitor }>(pathOf(id), signal),
    api.get<{ data: readonly Check[] }>(`${pathOf(id)}/checks?limit=${maxChecks}`, signal),
  ])
  return { monitor: monitor.data, checks: checks.data }
}

/** Reads a check with its pages, filtered by `status` unless that is empty. */
export async function readCheck(
  api: Api,
  id: string,
  checkId: string,
  status: string,
  signal: AbortSignal,
): Promise<CheckWithPages> {
  const query = status === '' ? '' : `&status=${status}`
  return (
    await api.get<{ data: CheckWithPages }>(
      `${pathOf(id)}/checks/${encodeURIComponent(checkId)}?limit=100${query}`,
      signal,
    )
  ).data
}

/** Creates a monitor. */
export async function createMonitor(api: Api, options: CreateMonitorOptions): Promise<Monitor> {
  return (await api.send<{ data: Monitor }>('POST', path, options)).data
}

/** Changes a monitor. */
export async function updateMonitor(api: Api, id: string, changes: UpdateMonitorOptions): Promise<unknown> {
  return api.send('PATCH', pathOf(id), changes)
}

/** Deletes a monitor. */
export async function deleteMonitor(api: Api, id: string): Promise<unknown> {
  return api.send('DELETE', pathOf(id))
}

/** Starts a check now. */
export async function runMonitor(api: Api, id: string): Promise<unknown> {
  return api.send('POST', `${pathOf(id)}/run`, {})
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
