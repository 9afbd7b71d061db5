/** Adds the warning of a batch or crawl, such as that a robots.txt was truncated. */
export const jobWarnings: readonly string[] = [`alter table job add column warning text`]
