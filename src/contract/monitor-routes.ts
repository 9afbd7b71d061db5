import * as checks from './monitor-checks.ts'
import * as monitors from './monitors.ts'
import { bodyBytes, type Route } from './route.ts'

/** Routes of monitors. */
export const monitorRoutes = {
  createMonitor: {
    method: 'POST',
    path: '/v2/monitor',
    summary: 'Create a monitor',
    body: monitors.createMonitorRequest,
    maxBodyBytes: bodyBytes.list,
    response: checks.monitorResponse,
  },
  listMonitors: {
    method: 'GET',
    path: '/v2/monitor',
    summary: 'List the monitors of the team, newest first',
    query: checks.listMonitorsQuery,
    response: checks.listMonitorsResponse,
  },
  getMonitor: {
    method: 'GET',
    path: '/v2/monitor/{id}',
    summary: 'Get a monitor',
    params: checks.monitorParams,
    response: checks.monitorResponse,
  },
  updateMonitor: {
    method: 'PATCH',
    path: '/v2/monitor/{id}',
    summary: 'Change, pause or resume a monitor; absent fields stay the same',
    params: checks.monitorParams,
    body: monitors.updateMonitorRequest,
    maxBodyBytes: bodyBytes.list,
    response: checks.monitorResponse,
  },
  deleteMonitor: {
    method: 'DELETE',
    path: '/v2/monitor/{id}',
    summary: 'Delete a monitor',
    params: checks.monitorParams,
    response: checks.deleteMonitorResponse,
  },
  runMonitor: {
    method: 'POST',
    path: '/v2/monitor/{id}/run',
    summary: 'Start a check of a monitor now',
    params: checks.monitorParams,
    response: checks.runMonitorResponse,
  },
  listChecks: {
    method: 'GET',
    path: '/v2/monitor/{id}/checks',
    summary: 'List the checks of a monitor, newest first',
    params: checks.monitorParams,
    query: checks.listChecksQuery,
    response: checks.listChecksResponse,
  },
  getCheck: {
    method: 'GET',
    path: '/v2/monitor/{id}/checks/{checkId}',
    summary: 'Get a check with its pages and their changes',
    params: checks.checkParams,
    query: checks.getCheckQuery,
    response: checks.getCheckResponse,
  },
} as const satisfies Record<string, Route>
