import * as checks from './monitor-checks.ts'
import * as monitors from './monitors.ts'
import { paths } from './paths.ts'
import { bodyBytes, type Route } from './route.ts'

/** Routes of monitors. */
export const monitorRoutes = {
  createMonitor: {
    ...paths.createMonitor,
    tag: 'Monitors',
    rateLimit: 'crawl',
    summary: 'Create a monitor',
    body: monitors.createMonitorRequest,
    maxBodyBytes: bodyBytes.list,
    response: checks.monitorResponse,
  },
  listMonitors: {
    ...paths.listMonitors,
    tag: 'Monitors',
    rateLimit: 'crawlStatus',
    hasLargeResponse: true,
    summary: 'List the monitors of the team, newest first',
    query: checks.listMonitorsQuery,
    response: checks.listMonitorsResponse,
  },
  getMonitor: {
    ...paths.getMonitor,
    tag: 'Monitors',
    rateLimit: 'crawlStatus',
    hasLargeResponse: true,
    summary: 'Get a monitor',
    params: checks.monitorParams,
    response: checks.monitorResponse,
  },
  updateMonitor: {
    ...paths.updateMonitor,
    tag: 'Monitors',
    rateLimit: 'crawl',
    summary: 'Change, pause or resume a monitor; absent fields stay the same',
    params: checks.monitorParams,
    body: monitors.updateMonitorRequest,
    maxBodyBytes: bodyBytes.list,
    response: checks.monitorResponse,
  },
  deleteMonitor: {
    ...paths.deleteMonitor,
    tag: 'Monitors',
    rateLimit: 'crawlStatus',
    summary: 'Delete a monitor',
    params: checks.monitorParams,
    response: checks.deleteMonitorResponse,
  },
  runMonitor: {
    ...paths.runMonitor,
    tag: 'Monitors',
    rateLimit: 'crawl',
    summary: 'Start a check of a monitor now',
    params: checks.monitorParams,
    response: checks.runMonitorResponse,
  },
  listChecks: {
    ...paths.listChecks,
    tag: 'Monitors',
    rateLimit: 'crawlStatus',
    hasLargeResponse: true,
    summary: 'List the checks of a monitor, newest first',
    params: checks.monitorParams,
    query: checks.listChecksQuery,
    response: checks.listChecksResponse,
  },
  getCheck: {
    ...paths.getCheck,
    tag: 'Monitors',
    rateLimit: 'crawlStatus',
    hasLargeResponse: true,
    summary: 'Get a check with its pages and their changes',
    params: checks.checkParams,
    query: checks.getCheckQuery,
    response: checks.getCheckResponse,
  },
} as const satisfies Record<string, Route>
