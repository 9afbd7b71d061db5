/** Adds the claiming worker, the number of crashes and the uncounted state to pages of jobs. */
export const heldPages: readonly string[] = [
  `alter table bulk_page
    add column holder uuid,
    add column crashes smallint not null default 0,
    add column credits integer not null default 0,
    add column is_uncounted boolean not null default false`,
  `create index bulk_page_free on bulk_page (job_id, crashes, place) where state = 'queued' and holder is null`,
  `create index bulk_page_held on bulk_page (holder) where state = 'queued' and holder is not null`,
  `create index bulk_page_uncounted on bulk_page (job_id) where is_uncounted`,
]
