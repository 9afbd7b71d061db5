import * as checks from './monitor-checks.ts'
import * as monitors from './monitors.ts'
import { bodyBytes, type Route } from './route.ts'

/** The endpoints of monitors. */
export const monitorRoutes = {
  createMonitor: {
    method: 'POST',
    path: '/v2/monitor',
    summary: 'Watch pages on a schedule',
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
    summary: 'Read one monitor',
    params: checks.monitorParams,
    response: checks.monitorResponse,
  },
  updateMonitor: {
    method: 'PATCH',
    path: '/v2/monitor/{id}',
    summary: 'Change, pause or resume a monitor; what is absent stays',
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
    summary: 'Check the pages of a monitor now',
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
    summary: 'Read one check with its pages and what changed of them',
    params: checks.checkParams,
    query: checks.getCheckQuery,
    response: checks.getCheckResponse,
  },
} as const satisfies Record<string, Route>
