import type { BulkErrors } from 'bowline/contract/bulk'

/** A page of a job that was not scraped. */
export type FailedPage = Pick<BulkErrors['errors'][number], 'id' | 'url' | 'error' | 'code'>

/** Errors of a job with the same value, such as a code or a host. */
export interface ErrorGroup {
  readonly name: string
  readonly count: number
}

/** Returns the host of a URL, or the URL itself if it has none. */
export function hostOf({ url }: Pick<FailedPage, 'url'>): string {
  return (URL.canParse(url) && new URL(url).host) || url
}

/** Returns the code of an error. */
export function codeOf({ code = 'other' }: Pick<FailedPage, 'code'>): string {
  return code
}

/** Counts the pages by a value, largest group first. */
export function groupErrors(
  pages: readonly FailedPage[],
  valueOf: (page: FailedPage) => string,
): readonly ErrorGroup[] {
  const counts = new Map<string, number>()
  for (const page of pages) counts.set(valueOf(page), (counts.get(valueOf(page)) ?? 0) + 1)
  const groups = [...counts].map(([name, count]) => ({ name, count }))
  return groups.toSorted((left, right) => right.count - left.count || left.name.localeCompare(right.name))
}
