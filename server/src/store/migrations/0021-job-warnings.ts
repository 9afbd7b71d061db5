/** Adds what a batch or crawl has left out, such as rules of a robots.txt that is too long. */
export const jobWarnings: readonly string[] = [`alter table job add column warning text`]
