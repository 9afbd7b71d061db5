/** The addresses of pages of jobs as their callers wrote them, where they differ from those that are scraped. */
export const sourceUrls: readonly string[] = [`alter table bulk_page add column source_url text`]
