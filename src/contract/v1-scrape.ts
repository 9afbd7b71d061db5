import { z } from 'zod'
import { boundedArray, clientName } from './bounded.ts'
import { action, maxActions, maxWaitMs } from './actions.ts'
import { jsonSchema, maxFormats } from './formats.ts'
import { location } from './location.ts'
import { shorten } from './validation-issues.ts'
import { scrapeFields } from './scrape.ts'
import { pageUrl } from './page-url.ts'

const extraction = z.strictObject({
  schema: jsonSchema.optional(),
  systemPrompt: z.string().max(10_000).optional(),
  prompt: z.string().max(10_000).optional(),
})

const formatName = z.enum(
  [
    'markdown',
    'html',
    'rawHtml',
    'links',
    'screenshot',
    'screenshot@fullPage',
    'summary',
    'json',
    'extract',
    'changeTracking',
  ],
  {
    error: (issue) =>
      `This server has no format ${shorten(JSON.stringify(issue.input) ?? 'undefined', 100)} in its first version`,
  },
)

const { onlyMainContent, onlyCleanContent, includeTags, excludeTags, storeInCache, headers, mobile } = scrapeFields
const { skipTlsVerification, removeBase64Images, blockAds, fastMode, zeroDataRetention } = scrapeFields
const { redactPII, threatProtection, auditMetadata, useMock, domainTools, toolDetail } = scrapeFields

/** What every way to scrape takes in the first version of the API. */
export const v1ScrapeFields = {
  formats: boundedArray(formatName, maxFormats).default(['markdown']),
  onlyMainContent,
  onlyCleanContent,
  includeTags,
  excludeTags,
  storeInCache,
  headers,
  mobile,
  skipTlsVerification,
  removeBase64Images,
  blockAds,
  fastMode,
  zeroDataRetention,
  redactPII,
  threatProtection,
  auditMetadata,
  useMock,
  domainTools,
  toolDetail,
  /** Milliseconds. Default one day. */
  maxAge: z.int().min(0).default(86_400_000),
  waitFor: z.int().min(0).max(maxWaitMs).default(0),
  /** Milliseconds. Default 30,000. */
  timeout: z.int().min(1000).max(600_000).default(30_000),
  /** Whether a PDF becomes Markdown (a credit a page) or base64 (one credit). Default true. */
  parsePDF: z.boolean().default(true),
  jsonOptions: extraction.optional(),
  extract: extraction.optional(),
  actions: boundedArray(action, maxActions).optional(),
  location: location.optional(),
  geolocation: location.optional(),
  proxy: z.enum(['basic', 'stealth', 'enhanced', 'auto']).default('basic'),
  changeTrackingOptions: z
    .strictObject({
      modes: boundedArray(z.enum(['git-diff', 'json']), 2).default([]),
      schema: jsonSchema.optional(),
      prompt: z.string().max(10_000).optional(),
      tag: z.string().max(200).nullable().default(null),
    })
    .optional(),
} as const

interface Demanded {
  readonly formats: readonly string[]
  readonly jsonOptions?: object | undefined
  readonly extract?: object | undefined
  readonly changeTrackingOptions?: object | undefined
}

/** Options that go with a format come with it, and only with it. */
export function checkV1Options(options: Demanded, context: z.core.$RefinementCtx): void {
  const refuse = (path: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [path], message, input: options })
  }
  const { formats } = options
  if ((options.jsonOptions !== undefined) !== formats.includes('json')) {
    refuse('jsonOptions', 'jsonOptions and the format json go together')
  }
  if ((options.extract !== undefined) !== formats.includes('extract')) {
    refuse('extract', 'The options and the format extract go together')
  }
  if (formats.includes('json') && formats.includes('extract')) refuse('formats', 'json and extract are the same format')
  if (options.changeTrackingOptions !== undefined && !formats.includes('changeTracking')) {
    refuse('changeTrackingOptions', 'changeTrackingOptions need the format changeTracking')
  }
}

/** Body of `POST /v1/scrape`. Unknown keys are refused. */
export const v1ScrapeRequest = z
  .strictObject({
    url: pageUrl,
    ...v1ScrapeFields,
    origin: clientName.optional(),
    integration: clientName.nullable().optional(),
  })
  .superRefine(checkV1Options)

/** What the first version of the API takes, with defaults filled in. */
export type V1ScrapeRequest = z.output<typeof v1ScrapeRequest>
