/** How a scrape was loaded, so that a session can repeat it. JSON in `text`, as `page_facts`. */
export const scrapeReplays: readonly string[] = [`alter table scrape add column replay text`]
