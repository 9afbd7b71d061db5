import type { EndReason } from './browser.ts'
import type { JobKind } from './jobs.ts'
import type { Cost } from './usage.ts'

/**
 * Words for why a session has ended, as tables and the dashboard show them. Without a schema, so
 * that the dashboard can load them.
 */
export const endReasonTitles: Readonly<Record<EndReason, string>> = {
  deleted: 'by request',
  ttl: 'time limit',
  idle: 'idle',
  crashed: 'browser crashed',
  drained: 'server shut down',
  lost: 'server lost',
  revoked: 'key revoked',
}

/** Words for the kinds of jobs. */
export const jobTitles: Readonly<Record<JobKind, string>> = {
  batch_scrape: 'Batch',
  crawl: 'Crawl',
  extract: 'Extraction',
  agent: 'Agent',
}

/** Words for the kinds of work that cost credits. */
export const costTitles: Readonly<Record<Cost['kind'], string>> = {
  session: 'Session',
  ...jobTitles,
  monitor: 'Monitor',
}

/** Returns the words for a name of the API. A name of a newer server is returned unchanged. */
export function titleOf(titles: Readonly<Record<string, string>>, name: string): string {
  return (Object.hasOwn(titles, name) ? titles[name] : undefined) ?? name
}

/** Words for the status of a session: the API calls an ended one `destroyed`. */
export function titleOfStatus(status: string): string {
  return status === 'destroyed' ? 'ended' : status
}
