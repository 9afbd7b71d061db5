import { sleep } from '../kit/sleep.ts'
import type { Check, CheckPage, CheckStatus, Monitor, PageStatus } from '../contract/monitor-checks.ts'
import type { CreateMonitorOptions, UpdateMonitorOptions } from '../contract/monitors.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/**
 * Page of a list.
 *
 * @example
 * ```ts
 * import { Bowline, type ListPart } from 'bowline'
 *
 * const second: ListPart = { limit: 25, offset: 25 }
 * const monitors = await new Bowline().monitors.list(second)
 * for (const { name, status } of monitors) console.log(name, status)
 * ```
 */
export interface ListPart {
  /** Maximum number of entries, 1 to 100. Default: 25. */
  readonly limit?: number | undefined
  /** Number of entries to skip. Default: 0. */
  readonly offset?: number | undefined
}

/** A check with the results of all its pages. */
export type CheckWithPages = Check & { readonly pages: readonly CheckPage[] }

/**
 * Checks pages on a schedule and reports changes. Methods that take a monitor id reject with
 * MONITOR_NOT_FOUND.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const monitor = await bowline.monitors.create({
 *   name: 'Prices',
 *   schedule: { cron: '0 6 * * *', timezone: 'Europe/Berlin' },
 *   targets: [{ type: 'scrape', urls: ['https://example.com'] }],
 * })
 * const { pages } = await bowline.monitors.runToEnd(monitor.id)
 * for (const { url, status, diff } of pages) console.log(url, status, diff?.text)
 * await bowline.monitors.delete(monitor.id)
 * ```
 */
export interface Monitors {
  /** Creates a monitor. Its first check is the baseline for later ones. */
  readonly create: (options: CreateMonitorOptions, requestOptions?: Abortable) => Promise<Monitor>
  /** Lists the monitors of the team, newest first. */
  readonly list: (
    part?: ListPart & {
      /** Only monitors with this text in their name or at the start of their id. Default: all. */
      readonly search?: string | undefined
    },
    requestOptions?: Abortable,
  ) => Promise<readonly Monitor[]>
  /** Returns a monitor. */
  readonly get: (id: string, requestOptions?: Abortable) => Promise<Monitor>
  /**
   * Updates the given fields of a monitor. `status: 'paused'` pauses it and `'active'` resumes it.
   */
  readonly update: (id: string, change: UpdateMonitorOptions, requestOptions?: Abortable) => Promise<Monitor>
  /** Deletes a monitor and its checks. */
  readonly delete: (id: string, requestOptions?: Abortable) => Promise<void>
  /**
   * Starts a check now. Rejects with MONITOR_PAUSED, and with CHECK_RUNNING and its
   * `details.checkId`.
   */
  readonly run: (id: string, requestOptions?: Abortable) => Promise<Check>
  /**
   * Starts a check, waits for its end, and resolves to the check with its pages. Aborting stops the
   * wait; the check continues.
   */
  readonly runToEnd: (id: string, requestOptions?: Abortable) => Promise<CheckWithPages>
  /** Lists the checks of a monitor, newest first. */
  readonly checks: (
    id: string,
    part?: ListPart & {
      readonly status?: CheckStatus | undefined
      /** Only checks that were created at this time or later, as ISO 8601. Default: all. */
      readonly from?: string | undefined
      /** Only checks that were created before this time, as ISO 8601. Default: all. */
      readonly to?: string | undefined
    },
    requestOptions?: Abortable,
  ) => Promise<readonly Check[]>
  /**
   * Returns a check with its pages and their diffs, optionally only pages of one status. Rejects
   * with CHECK_NOT_FOUND.
   */
  readonly check: (
    id: string,
    checkId: string,
    filter?: { readonly status?: PageStatus | undefined },
    requestOptions?: Abortable,
  ) => Promise<CheckWithPages>
}

const pagesAtOnce = 100
const firstPauseMs = 100
const longestPauseMs = 1000

/** Creates `bowline.monitors`. */
export function createMonitors(call: Call): Monitors {
  const check: Monitors['check'] = async (id, checkId, filter = {}, requestOptions = {}) => {
    const pages: CheckPage[] = []
    for (;;) {
      const query = { limit: pagesAtOnce, skip: pages.length, ...filter }
      const { data, next } = await call('getCheck', { params: { id, checkId }, query }, requestOptions)
      pages.push(...data.pages)
      if (next === undefined || data.pages.length === 0) return { ...data, next: undefined, pages }
    }
  }
  const run: Monitors['run'] = async (id, requestOptions = {}) =>
    (await call('runMonitor', { params: { id } }, requestOptions)).data
  return {
    create: async (options, requestOptions = {}) =>
      (await call('createMonitor', { body: options }, requestOptions)).data,
    list: async (part = {}, requestOptions = {}) => (await call('listMonitors', { query: part }, requestOptions)).data,
    get: async (id, requestOptions = {}) => (await call('getMonitor', { params: { id } }, requestOptions)).data,
    update: async (id, change, requestOptions = {}) =>
      (await call('updateMonitor', { params: { id }, body: change }, requestOptions)).data,
    delete: async (id, requestOptions = {}) => {
      await call('deleteMonitor', { params: { id } }, requestOptions)
    },
    run,
    runToEnd: async (id, requestOptions = {}) => {
      const { id: checkId } = await run(id, requestOptions)
      const { signal } = requestOptions
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
        const query = { limit: 1, skip: 0 }
        const { data } = await call('getCheck', { params: { id, checkId }, query }, requestOptions)
        if (data.status !== 'queued' && data.status !== 'running') return check(id, checkId, {}, { signal })
        await sleep(pauseMs, signal)
      }
    },
    checks: async (id, part = {}, requestOptions = {}) =>
      (await call('listChecks', { params: { id }, query: part }, requestOptions)).data,
    check,
  }
}
