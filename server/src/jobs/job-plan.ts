import { z } from 'zod'
import { format } from 'bowline/contract/formats'
import { scrapeFields, type ScrapeRequest } from 'bowline/contract/scrape'
import type { WebhookSpec } from 'bowline/contract/webhooks'
import { storedWebhook } from '../webhooks/stored-webhook.ts'
import { crawlPlan, type CrawlPlan } from './crawl-plan.ts'

/** Options for the pages of one request: a new job, or an addition to a batch. */
export interface Submission {
  readonly request: Omit<ScrapeRequest, 'url'>
  /** Show extracted data as `extract`, as API v1 does. */
  readonly showsExtract: boolean
  /** Hide the last attributes of documents, which a crawl uses to find links. */
  readonly hidesLinks: boolean
  /** The crawl whose failed pages are scraped again, by its rules. */
  readonly retriedCrawl?: CrawlPlan | undefined
  /** Idempotency key of an addition. The key of the first submission is stored with the job. */
  readonly idempotencyKey?: string | undefined
  readonly requestHash?: string | undefined
}

/** Options of a job, stored as JSON. */
export interface JobPlan {
  /** The first submission, and one for each addition to a batch. */
  readonly submissions: readonly Submission[]
  readonly webhook?: WebhookSpec | undefined
  /** Maximum number of concurrent pages of the job. Default: the limit of the server. */
  readonly maxConcurrency?: number | undefined
  /** Set for crawls. */
  readonly crawl?: CrawlPlan | undefined
}

/** Format of a stored request. A crawl adds selectors to those of its caller. */
const storedFormat = z.union([
  format,
  z.object({
    type: z.literal('attributes'),
    selectors: z.array(z.object({ selector: z.string(), attribute: z.string() })),
  }),
])

const submission: z.ZodType<Submission> = z.object({
  // Scrape options of other versions are ignored.
  request: z.looseObject({ ...scrapeFields, formats: z.array(storedFormat).default([{ type: 'markdown' }]) }),
  showsExtract: z.boolean(),
  hidesLinks: z.boolean().default(false),
  retriedCrawl: crawlPlan.optional(),
  idempotencyKey: z.string().optional(),
  requestHash: z.string().optional(),
})

/** Schema of stored plans. */
export const jobPlan: z.ZodType<JobPlan> = z.preprocess(
  renameRounds,
  z.object({
    submissions: z.array(submission),
    webhook: storedWebhook.optional(),
    maxConcurrency: z.number().optional(),
    crawl: crawlPlan.optional(),
  }),
)

/** Accepts `rounds`, the earlier name of `submissions`. */
function renameRounds(plan: unknown): unknown {
  if (typeof plan !== 'object' || plan === null || !('rounds' in plan)) return plan
  const { rounds: submissions, ...rest } = plan
  return { submissions, ...rest }
}
