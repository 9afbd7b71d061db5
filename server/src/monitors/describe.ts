import type { z } from 'zod'
import type { check, checkPage, CheckSummary, monitor } from 'bowline/contract/monitor-checks'
import type { CheckRow } from './queries/checks.ts'
import type { PageRow } from './queries/pages.ts'
import type { ListedMonitor } from './queries/monitors.ts'
import { runsPerMonth } from './next-run.ts'

/** Returns a monitor in API format. */
export function describeMonitor(row: ListedMonitor, creditsPerCheck: number): z.input<typeof monitor> {
  const { targets, webhook, notification } = row
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    schedule: { cron: row.cron, timezone: row.timezone, text: row.scheduleText },
    nextRunAt: timeOf(row.nextRunAt),
    lastRunAt: timeOf(row.lastRunAt),
    currentCheckId: row.currentCheckId ?? null,
    targets: [...targets],
    webhook: webhook === undefined ? null : { ...webhook, events: [...webhook.events] },
    notification: { ...notification },
    retentionDays: row.retentionDays,
    estimatedCreditsPerMonth: creditsPerCheck * runsPerMonth(row),
    lastCheckSummary: row.lastCheckSummary ?? null,
    goal: row.goal ?? null,
    judgeEnabled: row.judgeEnabled,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const emptySummary: CheckSummary = { totalPages: 0, same: 0, changed: 0, new: 0, removed: 0, error: 0 }

/** Returns a check in API format. `summary` is used if the check has not ended. */
export function describeCheck(
  row: CheckRow,
  notificationStatus: Readonly<Record<string, unknown>>,
  summary: CheckSummary = emptySummary,
): z.input<typeof check> {
  return {
    id: row.id,
    monitorId: row.monitorId,
    status: row.status,
    trigger: row.trigger,
    scheduledFor: timeOf(row.scheduledFor),
    startedAt: timeOf(row.startedAt),
    finishedAt: timeOf(row.finishedAt),
    estimatedCredits: row.estimatedCredits,
    reservedCredits: row.reservedCredits ?? null,
    actualCredits: row.actualCredits ?? null,
    billingStatus: row.billingStatus,
    summary: row.summary ?? summary,
    targetResults: row.targetResults,
    notificationStatus,
    error: row.error ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** Returns a page of a check in API format. */
export function describePage(row: PageRow): z.input<typeof checkPage> {
  return {
    id: row.id,
    targetId: row.targetId,
    url: row.url,
    status: row.status,
    previousScrapeId: row.previousScrapeId ?? null,
    currentScrapeId: row.currentScrapeId ?? null,
    statusCode: row.statusCode ?? null,
    error: row.error ?? null,
    metadata: { creditsUsed: row.credits },
    judgment: row.judgment ?? null,
    diff: row.diff ?? null,
    ...(row.snapshot === undefined ? {} : { snapshot: row.snapshot }),
    createdAt: row.createdAt.toISOString(),
  }
}

function timeOf(time: Date | undefined): string | null {
  return time?.toISOString() ?? null
}
