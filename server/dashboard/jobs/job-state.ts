/** Whether a job with a status has ended. */
export function hasEnded(status: string): boolean {
  return /^(completed|failed|cancelled)$/.test(status)
}

/**
 * Returns the status of an agent with the values that other jobs have. In the API, a cancelled
 * agent is `failed` and has a `stopReason`.
 */
export function agentStatus({
  status,
  stopReason,
}: {
  readonly status: string
  readonly stopReason?: string | undefined
}): string {
  return stopReason === 'cancelled' ? 'cancelled' : status
}

/** Page counts of a job. `all` contains the failed ones, unlike the `total` of the API. */
interface PageCounts {
  readonly completed: number
  readonly all: number
  readonly failed: number
}

/** Returns the page counts of a job. `undefined` for jobs without pages. */
export function countPages({
  completed = 0,
  total,
  failed = 0,
}: {
  readonly completed?: number | undefined
  readonly total?: number | undefined
  readonly failed?: number | undefined
}): PageCounts | undefined {
  return total === undefined ? undefined : { completed, all: total + failed, failed }
}

/** The text in place of the pages of a job that has none. */
export function describeNoPages(status: string): string {
  return hasEnded(status) ? 'No page was scraped.' : 'No pages yet.'
}

/** The warning of a job for people: it names the list of errors instead of its path in the API. */
export function describeWarning(warning: string): string {
  return warning.replace(/See GET \S+\/errors for the reasons\./, 'The reasons are under “Errors”.')
}

/** Names the URLs of a request that were skipped. `undefined` if there are none. */
export function describeInvalidUrls(urls: readonly string[]): string | undefined {
  if (urls.length === 0) return undefined
  const [named, others] = [urls.slice(0, 3).join(', '), urls.length - 3]
  return `Skipped as invalid: ${named}${others > 0 ? ` and ${others} more` : ''}`
}
