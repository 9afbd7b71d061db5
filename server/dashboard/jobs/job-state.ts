/** Whether a job with a status has ended. */
export function hasEnded(status: string): boolean {
  return /^(completed|failed|cancelled)$/.test(status)
}

/** The text in place of the pages of a job that has none. */
export function describeNoPages(status: string): string {
  return hasEnded(status) ? 'No page was scraped.' : 'No pages yet.'
}
