import { z } from 'zod'
import { boundedArray, clientName } from './bounded.ts'
import { checkV1Options, v1ScrapeFields } from './v1-scrape.ts'
import { checkScrapeOptions, scrapeFields } from './scrape.ts'
import { jobWebhook } from './webhooks.ts'

/** Maximum number of URLs per request. `appendToId` adds more. */
export const maxBatchUrls = 100_000

const batchFields = {
  /** URLs of the pages, 1 to 100000. The maximum request size is 10 MB. */
  urls: boundedArray(z.string(), maxBatchUrls, 1),
  /** Receives events for the start, each page and the end of the job. */
  webhook: jobWebhook.optional(),
  /**
   * Id of a batch to add the URLs to. Its `webhook` and `maxConcurrency` apply to them.
   * Default: a new batch.
   */
  appendToId: z.guid('must be the id of a batch').optional(),
  /** Maximum number of pages of this batch scraped at once. Default: the limit of the server. */
  maxConcurrency: z.int().min(1).max(10_000).optional(),
  /** Name of the client program. Ignored. */
  origin: clientName.optional(),
  /** Name of the integration. Ignored. */
  integration: clientName.nullable().optional(),
} as const

/** Body of `POST /v2/batch/scrape`. Unknown keys are rejected. */
export const batchRequest = z
  .strictObject({
    ...scrapeFields,
    ...batchFields,
    /**
     * Skips invalid URLs and lists them in the response instead of failing the request.
     * Default: true.
     */
    ignoreInvalidURLs: z.boolean().default(true),
  })
  .superRefine(checkScrapeOptions)

/** Body of `POST /v1/batch/scrape`. Unknown keys are rejected. */
export const v1BatchRequest = z
  .strictObject({
    ...v1ScrapeFields,
    ...batchFields,
    /** Maximum age of a stored page in milliseconds. Default: 0, which always scrapes the page. */
    maxAge: z.int().min(0).default(0),
    /** Skips invalid URLs instead of failing the request. Default: false. */
    ignoreInvalidURLs: z.boolean().default(false),
  })
  .superRefine(checkV1Options)

export type BatchRequest = z.output<typeof batchRequest>
export type V1BatchRequest = z.output<typeof v1BatchRequest>
/**
 * Options of a batch: the options of a scrape, and those of the job.
 *
 * @example
 * ```ts
 * import { Bowline, type BatchInput } from 'bowline'
 *
 * const options: BatchInput = { formats: ['links'], maxConcurrency: 2, ignoreInvalidURLs: true }
 * const { documents } = await new Bowline().batchScrape(['https://example.com'], options)
 * for (const { metadata, links } of documents) console.log(metadata.sourceURL, links)
 * ```
 */
export type BatchInput = Omit<z.input<typeof batchRequest>, 'urls'>
