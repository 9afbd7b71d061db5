/** Adds the time spent matching the regular expressions of a crawl, in milliseconds. */
export const matchingTime: readonly string[] = [
  `alter table bulk_job add column matching_ms integer not null default 0`,
]
