import { fillPath } from 'bowline/contract/fill-path'
import { paths } from 'bowline/contract/paths'
import { listPages, summarizePages } from '../../monitors/queries/pages.ts'
import type { CheckRow } from '../../monitors/queries/checks.ts'
import { listSubscriptions, type SubscriptionRow } from '../../monitors/queries/mails.ts'
import type { ListedMonitor } from '../../monitors/queries/monitors.ts'
import type { Store } from '../../store/store.ts'
import { describeCheck, describeMonitor, describePage } from '../../monitors/describe.ts'
import type { Monitors } from '../../monitors/monitors.ts'
import { notificationStatuses } from '../../monitors/notification-status.ts'
import type { Call, Handlers } from '../register.ts'

/** Dependencies of the monitor routes. */
export interface MonitorRouteDeps {
  readonly store: Store
  readonly monitors: Monitors
  readonly onError: (error: unknown, action: string) => void
}

/** Routes of monitors. */
export function monitorHandlers({ store, monitors, onError }: MonitorRouteDeps): Handlers {
  const describeAll = async (rows: readonly ListedMonitor[]) => {
    const subscriptions = await listSubscriptions(
      store.db,
      rows.map(({ id }) => id),
    )
    return rows.map((row) => {
      const own = subscriptions.filter(({ monitorId }) => monitorId === row.id).map(describeSubscription)
      const described = describeMonitor(row, monitors.creditsPerCheck(row))
      return own.length === 0 ? described : { ...described, emailRecipientSubscriptions: own }
    })
  }
  const describeOne = async (row: ListedMonitor) => {
    const [data] = await describeAll([row])
    return { success: true as const, data: data ?? describeMonitor(row, 0) }
  }
  const describeChecks = async (rows: readonly CheckRow[]) => {
    const statusOf = await notificationStatuses(
      { store, onError },
      rows.map(({ id }) => id),
    )
    return rows.map((row) => describeCheck(row, statusOf(row.id)))
  }
  return {
    createMonitor: async ({ body }, { key, baseUrl }) =>
      describeOne(await monitors.create(body, { teamId: key.teamId, apiKeyId: key.id, baseUrl })),
    listMonitors: async ({ query }, { key }) => ({
      success: true,
      data: await describeAll(await monitors.list({ ...query, teamId: key.teamId })),
    }),
    getMonitor: async ({ params }, { key }) => describeOne(await monitors.get(params.id, key.teamId)),
    updateMonitor: async ({ params, body }, { key }) => describeOne(await monitors.update(params.id, key.teamId, body)),
    deleteMonitor: async ({ params }, { key }) => {
      await monitors.delete(params.id, key.teamId)
      return { success: true }
    },
    runMonitor: async ({ params }, { key }) => {
      const check = await monitors.run(params.id, key.teamId)
      return { success: true, id: check.id, data: describeCheck(check, {}) }
    },
    listChecks: async ({ params, query }, { key }) => ({
      success: true,
      data: await describeChecks(await monitors.checks({ monitorId: params.id, ...query }, key.teamId)),
    }),
    getCheck: async ({ params, query: { limit, skip, status } }, call) => {
      const check = await monitors.check(params.id, params.checkId, call.key.teamId)
      const statuses = status === undefined ? undefined : [status]
      const filter = { checkId: check.id, limit, skip, statuses }
      const found = await listPages(store.db, filter, (error) => onError(error, 'listing pages of a check'))
      const next = found.hasMore ? { next: nextOf(call, params, { limit, skip: skip + limit, status }) } : {}
      const { summary } = await summarizePages(store.db, check.id)
      const statusOf = await notificationStatuses({ store, onError }, [check.id])
      const pages = found.pages.map(describePage)
      return { success: true, ...next, data: { ...describeCheck(check, statusOf(check.id), summary), pages, ...next } }
    },
  }
}

function nextOf(
  { baseUrl }: Call,
  { id, checkId }: { readonly id: string; readonly checkId: string },
  query: { readonly limit: number; readonly skip: number; readonly status: string | undefined },
): string {
  const url = new URL(baseUrl + fillPath(paths.getCheck.path, { id, checkId }))
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url.href
}

function describeSubscription({ email, status, source, confirmationSentAt }: SubscriptionRow) {
  return {
    email,
    status,
    source,
    confirmationEmailSent: confirmationSentAt !== undefined,
  }
}
