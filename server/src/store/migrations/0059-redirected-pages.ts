/** Stores to which page a page of a crawl was redirected, so that no page is scraped twice. */
export const redirectedPages: readonly string[] = [
  `alter table job_page add column target_identity text`,
  `create index job_page_by_target on job_page (job_id, target_identity) where target_identity is not null`,
]
