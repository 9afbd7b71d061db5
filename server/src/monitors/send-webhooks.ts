import type { Kysely } from 'kysely'
import type { CheckStatus, CheckSummary } from 'bowline/contract/monitor-checks'
import type { Database } from '../store/schema.ts'
import type { PageRow } from './queries/pages.ts'
import type { MonitorRow } from './queries/monitors.ts'
import type { MonitorDeps } from './monitor-deps.ts'

/** Sends a page to the webhook of its monitor, at most once and only if the transaction commits. */
export async function sendPageEvent(
  { webhooks }: Pick<MonitorDeps, 'webhooks'>,
  monitor: MonitorRow,
  page: Omit<PageRow, 'createdAt'>,
  db: Kysely<Database>,
): Promise<void> {
  const { webhook } = monitor
  if (webhook === undefined) return
  const { judgment = null, diff = null } = page
  const data = {
    monitorId: monitor.id,
    checkId: page.checkId,
    url: page.url,
    status: page.status,
    previousScrapeId: page.previousScrapeId ?? null,
    currentScrapeId: page.currentScrapeId ?? null,
    error: page.error ?? null,
    isMeaningful: judgment?.meaningful ?? null,
    judgment,
    diff,
  }
  await webhooks.send(
    {
      teamId: monitor.teamId,
      webhook,
      event: 'monitor.page',
      jobId: page.checkId,
      content: { success: page.status !== 'error', data: [data], error: page.error },
      uniqueKey: `check:${page.checkId}:page:${page.targetId}:${page.urlHash}`,
    },
    { db },
  )
}

/** Returns the unique key of the webhook event that ends a check. */
export function checkEndKey(checkId: string): string {
  return `check:${checkId}:completed`
}

/**
 * Sends the end of a check to the webhook of its monitor, at most once and only if the transaction
 * commits.
 */
export async function sendCheckEvent(
  { webhooks }: Pick<MonitorDeps, 'webhooks'>,
  monitor: MonitorRow,
  check: {
    readonly id: string
    readonly status: CheckStatus
    readonly summary: CheckSummary
    readonly error?: string | undefined
  },
  db: Kysely<Database>,
): Promise<void> {
  const { webhook } = monitor
  if (webhook === undefined) return
  const { id: checkId, status, summary, error } = check
  await webhooks.send(
    {
      teamId: monitor.teamId,
      webhook,
      event: 'monitor.check.completed',
      jobId: checkId,
      content: { success: status === 'completed', data: [{ monitorId: monitor.id, checkId, status, summary }], error },
      uniqueKey: checkEndKey(checkId),
    },
    { db },
  )
}
