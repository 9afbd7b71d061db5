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

/** How the pages of an extraction are scraped. `formats` is accepted and without effect: their Markdown is read. */
const pageOptions = z.strictObject({ ...pageFields, formats: unknownFormats })

const shared = {
  /** Addresses of pages; one that ends in `/*` stands for the pages under it. */
  urls: boundedArray(z.string().min(1).max(8000), 100).default([]),
  /** What to look for, in words. */
  prompt: z.string().min(1).max(10_000).optional(),
  /** Shape of the answer, as JSON Schema. */
  schema: jsonSchema.optional(),
  /** How to go about it, in words. */
  systemPrompt: z.string().max(10_000).optional(),
  /** Only false: pages of other sites are not followed. */
  allowExternalLinks: z.literal(false, { error: 'This server does not follow links to other sites' }).optional(),
  /** Whether pages found by a search for the prompt are read, too. Default false. */
  enableWebSearch: z.boolean().default(false),
  /** Whether subdomains belong to what `/*` stands for. Default true. */
  includeSubdomains: z.boolean().default(true),
  /** Whether the answer says which pages were read. Default false. */
  showSources: z.boolean().default(false),
  /** Most pages that are read, 1 to 100. Default 20. */
  limit: z.int().min(1).max(100).default(20),
  /** Where `extract.started`, `extract.completed` and `extract.failed` are posted to. */
  webhook: webhookFor(['started', 'completed', 'failed']).optional(),
  /** Name of the client, as clients send it. Not used. */
  origin: clientName.optional(),
  /** Name of an integration, as clients send it. Not used. */
  integration: clientName.nullable().optional(),
} as const

interface Wanted {
  readonly urls: readonly string[]
  readonly prompt?: string | undefined
  readonly schema?: object | undefined
  readonly enableWebSearch: boolean
}

function checkWanted({ urls, prompt, schema, enableWebSearch }: Wanted, context: z.core.$RefinementCtx): void {
  const refuse = (path: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [path], message, input: urls })
  }
  if (prompt === undefined && schema === undefined) refuse('prompt', 'Say what to extract: a prompt, a schema or both')
  if (enableWebSearch && prompt === undefined) refuse('prompt', 'enableWebSearch searches for the prompt: give one')
  if (urls.length === 0 && !enableWebSearch) refuse('urls', 'Name addresses, or set enableWebSearch')
}

/** Body of `POST /v2/extract`. Unknown keys are refused. */
export const extractRequest = z
  .strictObject({
    ...shared,
    /** Whether addresses that are none are left out, and told of in `invalidURLs`. Default true. */
    ignoreInvalidURLs: z.boolean().default(true),
    scrapeOptions: pageOptions.optional(),
  })
  .superRefine(checkWanted)

/** Body of `POST /v1/extract`. Unknown keys are refused. */
export const extractRequestV1 = z
  .strictObject({
    ...shared,
    /** Whether addresses that are none are left out, and told of in `invalidURLs`. Default false. */
    ignoreInvalidURLs: z.boolean().default(false),
    scrapeOptions: z.strictObject({ ...v1PageFields, formats: unknownFormats }).optional(),
  })
  .superRefine(checkWanted)

/** Answer of `POST /v2/extract`. */
export const startExtractResponse = z.looseObject({
  success: z.literal(true),
  id: z.string(),
  invalidURLs: z.array(z.string()).nullable().optional(),
})

/** Answer of `GET /v2/extract/{id}`. */
export const extractStatusResponse = z.looseObject({
  /** False when it failed. */
  success: z.boolean(),
  status: z.enum(['processing', 'completed', 'failed', 'cancelled']),
  /** What was extracted; an empty list before that. */
  data: z.unknown(),
  error: z.string().optional(),
  expiresAt: z.string().optional(),
  /** Addresses of the pages that were read. */
  sources: z.unknown().optional(),
  warning: z.string().optional(),
  tokensUsed: z.number().optional(),
  creditsUsed: z.number().optional(),
})

/** Path parameters that name an extraction. */
export const extractParams = z.object({ id: z.string().min(1) })

export type ExtractRequest = z.output<typeof extractRequest>
export type ExtractRequestV1 = z.output<typeof extractRequestV1>
/** What a caller may say about an extraction besides the addresses. */
export type ExtractOptions = Omit<z.input<typeof extractRequest>, 'urls'>
export type ExtractStatusResponse = z.output<typeof extractStatusResponse>
