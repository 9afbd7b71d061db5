/** How long the expressions of a crawl have been matched so far, in milliseconds. */
export const matchingTime: readonly string[] = [
  `alter table bulk_job add column matching_ms integer not null default 0`,
]
