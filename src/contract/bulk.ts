import { z } from 'zod'
import { document } from './document.ts'

/** What a job of many pages is doing. All but `scraping` are ends. */
export const bulkStatus = z.enum(['scraping', 'completed', 'failed', 'cancelled'])

/** Path parameters that name a job. */
export const bulkParams = z.object({ id: z.guid('Invalid job ID format. Job ID must be a valid UUID.') })

function fromQuery(min: number, max: number) {
  return z.coerce.number<number | string>().int().min(min).max(max)
}

/** Query of the status of a job: which of its documents. */
export const bulkStatusQuery = z.object({
  /** Documents to leave out, counted from the first that was completed. Default 0. */
  skip: fromQuery(0, 10_000_000).default(0),
  /** Most documents, 1 to 100. An answer ends at 10 MiB, too. Default 100. */
  limit: fromQuery(1, 100).default(100),
})

/** Answer of the status of a job. */
export const bulkStatusResponse = z.looseObject({
  success: z.literal(true),
  status: bulkStatus,
  /** Pages that were scraped. */
  completed: z.number(),
  /** Pages without those that failed: these are among the errors. */
  total: z.number(),
  creditsUsed: z.number(),
  /** When the job and its documents are removed. */
  expiresAt: z.string(),
  /** Where more documents are. Absent when there are none at the moment. */
  next: z.string().optional(),
  /** Documents in the order they were completed. */
  data: z.array(document),
  createdAt: z.string().optional(),
  completedAt: z.string().optional(),
  /** Seconds from start to end. */
  duration: z.number().optional(),
  warning: z.string().optional(),
  /** Why all of it failed. */
  error: z.string().optional(),
})

/** Answer of the errors of a job. */
export const bulkErrorsResponse = z.looseObject({
  errors: z.array(
    z.looseObject({
      id: z.string(),
      timestamp: z.string().optional(),
      url: z.string(),
      code: z.string().optional(),
      error: z.string(),
    }),
  ),
  /** Pages that robots.txt forbids. */
  robotsBlocked: z.array(z.string()),
})

/** Answer of the start of a job. */
export const startBulkResponse = z.looseObject({
  success: z.literal(true),
  id: z.string(),
  /** Where its status is. */
  url: z.string(),
  /** Addresses that were left out, as they were sent. */
  invalidURLs: z.array(z.string()).optional(),
  /** What of the request was not done. */
  warning: z.string().optional(),
  /** Options of a crawl that a language model wrote from its prompt. */
  promptGeneratedOptions: z.record(z.string(), z.unknown()).optional(),
  /** Options that a crawl with a prompt runs with. */
  finalCrawlerOptions: z.record(z.string(), z.unknown()).optional(),
})

/** Answer of cancelling a job. */
export const cancelBulkResponse = z.looseObject({
  success: z.literal(true),
  status: z.literal('cancelled'),
  message: z.string(),
})

export type BulkStatus = z.output<typeof bulkStatus>
export type BulkStatusQuery = z.output<typeof bulkStatusQuery>
export type BulkStatusResponse = z.output<typeof bulkStatusResponse>
export type BulkErrors = z.output<typeof bulkErrorsResponse>
export type StartBulkResponse = z.output<typeof startBulkResponse>
