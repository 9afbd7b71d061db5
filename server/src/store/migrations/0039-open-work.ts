/** Finds running jobs and pending deliveries, which are few, without reading the finished ones. */
export const openWork: readonly string[] = [
  `create index job_open on job (created_at) where status = 'scraping'`,
  `create index webhook_delivery_pending on webhook_delivery (created_at) where status = 'pending'`,
]
