import { z } from 'zod'
import { document } from './document.ts'

/** Status of a batch or crawl. All values but `scraping` are final. */
export const bulkStatus = z.enum(['scraping', 'completed', 'failed', 'cancelled'])

/** Path parameters of a job. */
export const bulkParams = z.object({
  id: z
    .string()
    .refine((id) => z.guid().safeParse(id).success, 'Invalid job ID format. Job ID must be a valid UUID.')
    .meta({ format: 'uuid' }),
})

function fromQuery(min: number, max: number) {
  return z.coerce.number<number | string>().int().min(min).max(max)
}

/** Query of the status of a job. Selects its documents. */
export const bulkStatusQuery = z.object({
  /** Number of documents to skip, in the order of completion. Default: 0. */
  skip: fromQuery(0, 10_000_000).default(0),
  /** Maximum number of documents, 1 to 100. A response has at most 10 MiB. Default: 100. */
  limit: fromQuery(1, 100).default(100),
})

/** Response of the status of a job. */
export const bulkStatusResponse = z.looseObject({
  success: z.literal(true),
  status: bulkStatus,
  /** Number of scraped pages. */
  completed: z.number(),
  /** Number of pages, without failed pages. Those are listed as errors. */
  total: z.number(),
  /** Number of failed pages. Some services omit it. */
  failed: z.number().optional(),
  /** Credits billed so far. */
  creditsUsed: z.number(),
  /** When the job and its documents are removed. */
  expiresAt: z.string(),
  /** URL of the next documents. Absent if there are none yet. */
  next: z.string().optional(),
  /** Documents in the order of completion. */
  data: z.array(document),
  createdAt: z.string().optional(),
  completedAt: z.string().optional(),
  /** Duration of the job in seconds. */
  duration: z.number().optional(),
  /** Names omitted data, such as the rest of a robots.txt that is too long. */
  warning: z.string().optional(),
  /** Why the job failed. */
  error: z.string().optional(),
})

/** Response of the errors of a job. */
export const bulkErrorsResponse = z.looseObject({
  errors: z.array(
    z.looseObject({
      id: z.string(),
      timestamp: z.string().optional(),
      url: z.string(),
      /** Error code. */
      code: z.string().optional(),
      error: z.string(),
    }),
  ),
  /** Pages that robots.txt disallows. */
  robotsBlocked: z.array(z.string()),
})

/** Response of the start of a job. */
export const startBulkResponse = z.looseObject({
  success: z.literal(true),
  id: z.string(),
  /** URL of its status. */
  url: z.string(),
  /** Invalid URLs that were skipped, as they were sent. */
  invalidURLs: z.array(z.string()).optional(),
  /** Which parts of the request were not applied. */
  warning: z.string().optional(),
  /** Crawl options that a language model derived from the prompt. */
  promptGeneratedOptions: z.record(z.string(), z.unknown()).optional(),
  /** Final options of a crawl with a prompt. */
  finalCrawlerOptions: z.record(z.string(), z.unknown()).optional(),
})

/** Response of cancelling a job. */
export const cancelBulkResponse = z.looseObject({
  success: z.literal(true),
  status: z.literal('cancelled'),
  message: z.string(),
})

export type BulkStatusQuery = z.output<typeof bulkStatusQuery>
export type BulkStatusResponse = z.output<typeof bulkStatusResponse>
export type BulkErrors = z.output<typeof bulkErrorsResponse>
export type StartBulkResponse = z.output<typeof startBulkResponse>
