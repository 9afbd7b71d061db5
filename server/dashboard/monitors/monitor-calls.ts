import type { Check, CheckPage, Monitor } from 'bowline/contract/monitor-checks'
import type { CreateMonitorOptions, UpdateMonitorOptions } from 'bowline/contract/monitors'
import type { Api } from '../api/call.ts'

/** A check with some of its pages. */
export interface CheckWithPages extends Check {
  readonly pages: CheckPage[]
  readonly next?: string
}

const path = '/v2/monitor'

/** So many monitors are listed. */
export const mostMonitors = 100

/** So many checks of a monitor are listed. */
export const mostChecks = 50

const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`

/** The monitors of the team. */
export const listMonitors = async (api: Api, signal: AbortSignal): Promise<readonly Monitor[]> =>
  (await api.get<{ data: readonly Monitor[] }>(`${path}?limit=${mostMonitors}`, signal)).data

/** One monitor and its latest checks. */
export const readMonitor = async (
  api: Api,
  id: string,
  signal: AbortSignal,
): Promise<{ readonly monitor: Monitor; readonly checks: readonly Check[] }> => {
  const [monitor, checks] = await Promise.all([
    api.get<{ data: Monitor }>(pathOf(id), signal),
    api.get<{ data: readonly Check[] }>(`${pathOf(id)}/checks?limit=${mostChecks}`, signal),
  ])
  return { monitor: monitor.data, checks: checks.data }
}

/** One check with its pages; those of one status when it is named. */
export const readCheck = async (
  api: Api,
  id: string,
  checkId: string,
  status: string,
  signal: AbortSignal,
): Promise<CheckWithPages> => {
  const query = status === '' ? '' : `&status=${status}`
  return (
    await api.get<{ data: CheckWithPages }>(
      `${pathOf(id)}/checks/${encodeURIComponent(checkId)}?limit=100${query}`,
      signal,
    )
  ).data
}

/** Makes a monitor. */
export const createMonitor = async (api: Api, options: CreateMonitorOptions): Promise<Monitor> =>
  (await api.send<{ data: Monitor }>('POST', path, options)).data

/** Changes a monitor. */
export const updateMonitor = async (api: Api, id: string, changes: UpdateMonitorOptions): Promise<unknown> =>
  api.send('PATCH', pathOf(id), changes)

/** Deletes a monitor. */
export const deleteMonitor = async (api: Api, id: string): Promise<unknown> => api.send('DELETE', pathOf(id))

/** Checks now. */
export const runMonitor = async (api: Api, id: string): Promise<unknown> => api.send('POST', `${pathOf(id)}/run`, {})

/** The addresses that a monitor looks at, in a few words. */
export const describeTargets = ({ targets }: Monitor): string => {
  const names = targets.flatMap((target) => {
    const { urls, url, queries } = target as { urls?: string[]; url?: string; queries?: string[] }
    return [...(urls ?? []), ...(url === undefined ? [] : [url]), ...(queries ?? [])]
  })
  const [first = 'nothing', ...others] = names
  return others.length === 0 ? first : `${first} and ${others.length} more`
}
