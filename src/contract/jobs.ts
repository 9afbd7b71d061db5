import { z } from 'zod'

/** Kinds of jobs: work that continues after its request, and has an id. */
export const jobKind = z.enum(['batch_scrape', 'crawl', 'extract', 'agent'])

/**
 * Status of a job of any kind. A running batch or crawl is `scraping`, a running extraction or
 * agent `processing`. All other values are final.
 */
export const jobStatus = z.enum(['scraping', 'processing', 'completed', 'failed', 'cancelled'])

/** Values of the `status` filter: `running` and `ended` stand for several. */
export const jobStatusFilter = z.enum(['running', 'ended', ...jobStatus.options])

/** Query of `GET /v2/team/jobs`. */
export const listJobsQuery = z.object({
  /** Only jobs of this kind. */
  kind: jobKind.optional(),
  /** Only jobs with this status. */
  status: jobStatusFilter.optional(),
  /**
   * Only jobs whose id or `idempotencyKey` starts with this text, or whose `target` contains it.
   */
  search: z.string().trim().min(1).max(200).optional(),
  /** Only jobs that were created at this time or later. */
  from: z.iso.datetime({ offset: true }).optional(),
  /** Only jobs that were created before this time. */
  to: z.iso.datetime({ offset: true }).optional(),
  /** Maximum number of jobs, 1 to 100. Default: 50. */
  limit: z.coerce.number<number | string>().int().min(1).max(100).default(50),
  /** `cursor` of the previous page. */
  cursor: z.string().max(200).optional(),
})

/** A job in the list, without its results. */
export const listedJob = z.looseObject({
  id: z.string(),
  kind: jobKind,
  status: jobStatus,
  /** First URL of a batch or extraction, URL of a crawl, or the start of a prompt. */
  target: z.string().optional(),
  /**
   * Key of the request that started a batch or crawl. The client sends a random one unless it is
   * given another.
   */
  idempotencyKey: z.string().optional(),
  /** Number of scraped pages. Absent for extractions and agents. */
  completed: z.int().optional(),
  /** Number of pages, without failed pages. Absent for extractions and agents. */
  total: z.int().optional(),
  /**
   * Number of failed pages, with those that robots.txt disallows. Absent for extractions and
   * agents.
   */
  failed: z.int().optional(),
  /** Cost so far. That of an agent does not contain its browser sessions. */
  creditsUsed: z.number(),
  createdAt: z.string(),
  /** Absent while the job is running. */
  completedAt: z.string().optional(),
  /** Why the job failed. */
  error: z.string().optional(),
})

/** A job with its options, without its results. */
export const jobDetails = listedJob.extend({
  /** When the job and its results are removed. Absent for extractions and agents. */
  expiresAt: z.string().optional(),
  /**
   * Options that differ from their defaults, without those in `omittedOptions`. Extractions and
   * agents also have their prompt and URLs.
   */
  options: z.record(z.string(), z.unknown()).optional(),
  /**
   * Options that `options` leaves out because they can contain secrets: `headers`,
   * `scrapeOptions.headers`, `webhook.headers`, or `webhook` if its URL has a query.
   */
  omittedOptions: z.array(z.string()).optional(),
})

/** Response of `GET /v2/team/jobs/{id}`. */
export const getJobResponse = z.looseObject({ success: z.literal(true), data: jobDetails })

/** Response of `GET /v2/team/jobs`, newest first. */
export const listJobsResponse = z.looseObject({
  success: z.literal(true),
  data: z.array(listedJob),
  /** Requests the next page. Absent on the last one. */
  cursor: z.string().optional(),
})

export type JobKind = z.output<typeof jobKind>
export type JobStatusFilter = z.output<typeof jobStatusFilter>

/**
 * A job of `bowline.jobs()`.
 *
 * @example
 * ```ts
 * import { Bowline, type ListedJob } from 'bowline'
 *
 * const failed: ListedJob[] = []
 * for await (const job of new Bowline().jobs({ status: 'failed' })) failed.push(job)
 * for (const { id, target, error } of failed) console.log(id, target, error)
 * ```
 */
export type ListedJob = z.output<typeof listedJob>

/**
 * A job with the options that it was started with.
 *
 * @example
 * ```ts
 * import { Bowline, type JobDetails } from 'bowline'
 *
 * const bowline = new Bowline()
 * const { id } = await bowline.batchScrape(['https://example.com'], { onlyMainContent: false })
 * const { kind, options }: JobDetails = await bowline.job(id).details()
 * console.log(kind, options)
 * ```
 */
export type JobDetails = z.output<typeof jobDetails>
