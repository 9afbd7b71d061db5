import { setTimeout as delay } from 'node:timers/promises'
import type { Check, CheckPage, CheckStatus, Monitor, PageStatus } from '../contract/monitor-checks.ts'
import type { CreateMonitorOptions, UpdateMonitorOptions } from '../contract/monitors.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/** Which part of a list. */
export interface ListPart {
  /** 1 to 100. Default 25. */
  readonly limit?: number | undefined
  /** How many are left out at its beginning. Default 0. */
  readonly offset?: number | undefined
}

/** A check with all its pages. */
export type CheckWithPages = Check & { readonly pages: readonly CheckPage[] }

/** Pages watched on a schedule. All that name a monitor reject with MONITOR_NOT_FOUND. */
export interface Monitors {
  /** Makes a monitor; its first check is the baseline of the others. */
  readonly create: (options: CreateMonitorOptions, how?: Abortable) => Promise<Monitor>
  /** Monitors of the team, newest first. */
  readonly list: (part?: ListPart, how?: Abortable) => Promise<readonly Monitor[]>
  readonly get: (id: string, how?: Abortable) => Promise<Monitor>
  /** Changes a monitor; what is absent stays. `status: 'paused'` pauses it, `'active'` resumes it. */
  readonly update: (id: string, change: UpdateMonitorOptions, how?: Abortable) => Promise<Monitor>
  readonly delete: (id: string, how?: Abortable) => Promise<void>
  /** Begins a check now. Rejects with MONITOR_PAUSED, or CHECK_RUNNING with `details.checkId`. */
  readonly run: (id: string, how?: Abortable) => Promise<Check>
  /** Begins a check, waits for its end and answers it with its pages. Aborting stops the wait; the check goes on. */
  readonly runToEnd: (id: string, how?: Abortable) => Promise<CheckWithPages>
  /** Checks of a monitor, newest first. */
  readonly checks: (
    id: string,
    part?: ListPart & { readonly status?: CheckStatus | undefined },
    how?: Abortable,
  ) => Promise<readonly Check[]>
  /** One check with all its pages, or those of one status, and what changed of each. Rejects with CHECK_NOT_FOUND. */
  readonly check: (
    id: string,
    checkId: string,
    filter?: { readonly status?: PageStatus | undefined },
    how?: Abortable,
  ) => Promise<CheckWithPages>
}

const pagesAtOnce = 100
const firstPauseMs = 100
const longestPauseMs = 1000

/** Makes the `monitors` of a client. */
export function createMonitors(call: Call): Monitors {
  const check: Monitors['check'] = async (id, checkId, filter = {}, how = {}) => {
    const pages: CheckPage[] = []
    for (;;) {
      const query = { limit: pagesAtOnce, skip: pages.length, ...filter }
      const { data, next } = await call('getCheck', { params: { id, checkId }, query }, how)
      pages.push(...data.pages)
      if (next === undefined || data.pages.length === 0) return { ...data, next: undefined, pages }
    }
  }
  const run: Monitors['run'] = async (id, how = {}) => (await call('runMonitor', { params: { id } }, how)).data
  return {
    create: async (options, how = {}) => (await call('createMonitor', { body: options }, how)).data,
    list: async (part = {}, how = {}) => (await call('listMonitors', { query: part }, how)).data,
    get: async (id, how = {}) => (await call('getMonitor', { params: { id } }, how)).data,
    update: async (id, change, how = {}) => (await call('updateMonitor', { params: { id }, body: change }, how)).data,
    delete: async (id, how = {}) => {
      await call('deleteMonitor', { params: { id } }, how)
    },
    run,
    runToEnd: async (id, how = {}) => {
      const { id: checkId } = await run(id, how)
      const { signal } = how
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
        const query = { limit: 1, skip: 0 }
        const { data } = await call('getCheck', { params: { id, checkId }, query }, how)
        if (data.status !== 'queued' && data.status !== 'running') return check(id, checkId, {}, { signal })
        await delay(pauseMs, undefined, signal === undefined ? {} : { signal })
      }
    },
    checks: async (id, part = {}, how = {}) => (await call('listChecks', { params: { id }, query: part }, how)).data,
    check,
  }
}
