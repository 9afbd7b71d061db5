/** Adds the URLs of job pages as the caller wrote them, where they differ from the scraped ones. */
export const sourceUrls: readonly string[] = [`alter table bulk_page add column source_url text`]
