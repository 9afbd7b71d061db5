import { z } from 'zod'
import { boundedArray, clientName } from './bounded.ts'
import { v1ScrapeFields } from './v1-scrape.ts'
import { jsonSchema } from './formats.ts'
import { scrapeFields } from './scrape.ts'
import { webhookFor } from './webhooks.ts'

const { formats: _formats, profile: _profile, zeroDataRetention: _retention, ...pageFields } = scrapeFields
const {
  formats: _v1Formats,
  zeroDataRetention: _v1Retention,
  jsonOptions: _json,
  extract: _extract,
  changeTrackingOptions: _tracking,
  ...v1PageFields
} = v1ScrapeFields

const unknownFormats = boundedArray(z.unknown(), 50).optional()

/**
 * Scrape options of the pages of an extraction. `formats` has no effect: the model reads Markdown.
 */
const pageOptions = z.strictObject({ ...pageFields, formats: unknownFormats })

const shared = {
  /** URLs of pages. A URL that ends in `/*` selects the pages below it. */
  urls: boundedArray(z.string().min(1).max(8000), 100).default([]),
  /** Description of the data. */
  prompt: z.string().min(1).max(10_000).optional(),
  /** JSON Schema of the data. */
  schema: jsonSchema.optional(),
  /** Instructions for the language model. */
  systemPrompt: z.string().max(10_000).optional(),
  /** Only `false`: links to other sites are not followed. */
  allowExternalLinks: z.literal(false, { error: 'This server does not follow links to other sites' }).optional(),
  /** Also reads pages found by a search for the prompt. Default: false. */
  enableWebSearch: z.boolean().default(false),
  /** Includes subdomains in the pages that `/*` selects. Default: true. */
  includeSubdomains: z.boolean().default(true),
  /** Lists the pages that were read in the response. Default: false. */
  showSources: z.boolean().default(false),
  /** Maximum number of pages, 1 to 100. Default: 20. */
  limit: z.int().min(1).max(100).default(20),
  /**
   * Receives `extract.started`, `extract.completed` and `extract.failed`. In the `data` of
   * `extract.completed` is one object with `success`, `data`, `extractId`, `totalUrlsScraped`,
   * `sources`, `creditsUsed` and `tokensUsed`.
   */
  webhook: webhookFor(['started', 'completed', 'failed']).optional(),
  /** Name of the client program. Ignored. */
  origin: clientName.optional(),
  /** Name of the integration. Ignored. */
  integration: clientName.nullable().optional(),
} as const

interface ExtractInput {
  readonly urls: readonly string[]
  readonly prompt?: string | undefined
  readonly schema?: object | undefined
  readonly enableWebSearch: boolean
}

function checkInput({ urls, prompt, schema, enableWebSearch }: ExtractInput, context: z.core.$RefinementCtx): void {
  const refuse = (path: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [path], message, input: urls })
  }
  if (prompt === undefined && schema === undefined) refuse('prompt', 'Set `prompt`, `schema` or both')
  if (enableWebSearch && prompt === undefined) refuse('prompt', '`enableWebSearch` requires a `prompt`')
  if (urls.length === 0 && !enableWebSearch) refuse('urls', 'Set `urls` or `enableWebSearch`')
}

/** Body of `POST /v2/extract`. Unknown keys are rejected. */
export const extractRequest = z
  .strictObject({
    ...shared,
    /** Skips invalid URLs and lists them in `invalidURLs`. Default: true. */
    ignoreInvalidURLs: z.boolean().default(true),
    scrapeOptions: pageOptions.optional(),
  })
  .superRefine(checkInput)

/** Body of `POST /v1/extract`. Unknown keys are rejected. */
export const extractRequestV1 = z
  .strictObject({
    ...shared,
    /** Skips invalid URLs and lists them in `invalidURLs`. Default: false. */
    ignoreInvalidURLs: z.boolean().default(false),
    scrapeOptions: z.strictObject({ ...v1PageFields, formats: unknownFormats }).optional(),
  })
  .superRefine(checkInput)

/** Response of `POST /v2/extract`. */
export const startExtractResponse = z.looseObject({
  success: z.literal(true),
  id: z.string(),
  invalidURLs: z.array(z.string()).nullable().optional(),
})

/** Response of `GET /v2/extract/{id}`. */
export const extractStatusResponse = z.looseObject({
  /** `false` if the extraction failed. */
  success: z.boolean(),
  status: z.enum(['processing', 'completed', 'failed', 'cancelled']),
  /** Extracted data; an empty array until the extraction has completed. */
  data: z.unknown(),
  error: z.string().optional(),
  expiresAt: z.string().optional(),
  /** URLs of the pages that were read. */
  sources: z.unknown().optional(),
  warning: z.string().optional(),
  tokensUsed: z.number().optional(),
  creditsUsed: z.number().optional(),
  /** Only of agents, which this route also reads: `model` of the request. */
  model: z.string().optional(),
  /** Only of agents: why the agent stopped early. */
  stopReason: z.enum(['cancelled', 'credit_limit_reached']).optional(),
})

/** Path parameters of an extraction. */
export const extractParams = z.object({ id: z.string().min(1) })

export type ExtractRequest = z.output<typeof extractRequest>
export type ExtractRequestV1 = z.output<typeof extractRequestV1>
/**
 * Options of an extraction.
 *
 * @example
 * ```ts
 * import { Bowline, type ExtractOptions } from 'bowline'
 *
 * const options: ExtractOptions = {
 *   prompt: 'Extract the heading of the page.',
 *   schema: { type: 'object', properties: { heading: { type: 'string' } } },
 * }
 * const { data } = await new Bowline().extract(['https://example.com'], options)
 * console.log(data)
 * ```
 */
export type ExtractOptions = Omit<z.input<typeof extractRequest>, 'urls'>
export type ExtractStatusResponse = z.output<typeof extractStatusResponse>
