import { z } from 'zod'
import { boundedArray, clientName } from './bounded.ts'
import { checkV1Options, v1ScrapeFields } from './v1-scrape.ts'
import { checkScrapeOptions, scrapeFields } from './scrape.ts'
import { jobWebhook } from './webhooks.ts'

/** Most addresses of one request; `appendToId` adds more. */
export const maxBatchUrls = 100_000

const batchFields = {
  /** Addresses of the pages, 1 to 100,000. A request may have 10 MB. */
  urls: boundedArray(z.string(), maxBatchUrls, 1),
  /** Hears of the start, of each page and of the end. */
  webhook: jobWebhook.optional(),
  /** A batch to add the addresses to, in place of making one. */
  appendToId: z.guid('it is no id of a batch').optional(),
  /** Most pages of this batch that are scraped at a time. Default: as many as the server does. */
  maxConcurrency: z.int().min(1).max(10_000).optional(),
  /** Name of the client, as clients send it. Not used. */
  origin: clientName.optional(),
  /** Name of an integration, as clients send it. Not used. */
  integration: clientName.nullable().optional(),
} as const

/** Body of `POST /v2/batch/scrape`. Unknown keys are refused. */
export const batchRequest = z
  .strictObject({
    ...scrapeFields,
    ...batchFields,
    /** Whether what is no address is left out and named in the answer, in place of failing the request. Default true. */
    ignoreInvalidURLs: z.boolean().default(true),
  })
  .superRefine(checkScrapeOptions)

/** Body of `POST /v1/batch/scrape`. Unknown keys are refused. */
export const v1BatchRequest = z
  .strictObject({
    ...v1ScrapeFields,
    ...batchFields,
    /** Milliseconds. Default 0: every page is scraped anew. */
    maxAge: z.int().min(0).default(0),
    /** Default false. */
    ignoreInvalidURLs: z.boolean().default(false),
  })
  .superRefine(checkV1Options)

export type BatchRequest = z.output<typeof batchRequest>
export type V1BatchRequest = z.output<typeof v1BatchRequest>
/** What a caller may say about a batch besides the addresses. */
export type BatchInput = Omit<z.input<typeof batchRequest>, 'urls'>
