/** Renames the tables of batches and crawls to match the code. */
export const jobTables: readonly string[] = [
  `alter table bulk_job rename to job`,
  `alter table bulk_page rename to job_page`,
  `alter table job_page rename column place to position`,
  `alter index bulk_job_by_team rename to job_by_team`,
  `alter index bulk_job_by_end rename to job_by_end`,
  `alter index bulk_page_by_seq rename to job_page_by_seq`,
  `alter index bulk_page_failed rename to job_page_failed`,
  `alter index bulk_page_once rename to job_page_once`,
  `alter index bulk_page_free rename to job_page_free`,
  `alter index bulk_page_held rename to job_page_held`,
  `alter index bulk_page_uncounted rename to job_page_uncounted`,
]
