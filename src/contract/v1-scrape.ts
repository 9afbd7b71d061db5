import { z } from 'zod'
import { dayMs } from '../kit/day-ms.ts'
import { boundedArray, clientName } from './bounded.ts'
import { action, maxActions, maxWaitMs } from './actions.ts'
import { jsonSchema, maxFormats } from './formats.ts'
import { location } from './location.ts'
import { shorten } from './validation-issues.ts'
import { scrapeFields } from './scrape.ts'
import { pageUrl } from './page-url.ts'

const extraction = z.strictObject({
  /** JSON Schema of the data. */
  schema: jsonSchema.optional(),
  /** System message for the language model. */
  systemPrompt: z.string().max(10_000).optional(),
  /** Instructions for the language model. */
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
    'rawBase64',
  ],
  {
    error: (issue) => `Format ${shorten(JSON.stringify(issue.input) ?? 'undefined', 100)} is not supported by API v1`,
  },
)

const { onlyMainContent, onlyCleanContent, includeTags, excludeTags, storeInCache, headers, mobile } = scrapeFields
const { skipTlsVerification, removeBase64Images, blockAds, fastMode, zeroDataRetention } = scrapeFields
const { redactPII, threatProtection, auditMetadata, useMock, domainTools, toolDetail } = scrapeFields

/** Scrape options of API v1. */
export const v1ScrapeFields = {
  /** Formats of the document. Default: `["markdown"]`. */
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
  /** Maximum age of a stored page in milliseconds. Default: one day. */
  maxAge: z.int().min(0).default(dayMs),
  /** Time to wait before the page is read, in milliseconds. Default: 0. */
  waitFor: z.int().min(0).max(maxWaitMs).default(0),
  /** Timeout of the scrape in milliseconds. Default: 30000. */
  timeout: z.int().min(1000).max(600_000).default(30_000),
  /**
   * Converts PDFs to Markdown (one credit per page) instead of base64 (one credit). Default: true.
   */
  parsePDF: z.boolean().default(true),
  /** Options of the format `json`. */
  jsonOptions: extraction.clone().optional(),
  /** Options of the format `extract`. */
  extract: extraction.optional(),
  /** Steps on the page before it is read, at most 50. */
  actions: boundedArray(action, maxActions).optional(),
  /** Country and languages that the page sees. */
  location: location.optional(),
  /** Earlier name of `location`. */
  geolocation: location.optional(),
  /** Upstream proxy. Default: `basic`. */
  proxy: z.enum(['basic', 'stealth', 'enhanced', 'auto']).default('basic'),
  /** Options of the format `changeTracking`. */
  changeTrackingOptions: z
    .strictObject({
      /** `git-diff` adds the difference, `json` compares fields. */
      modes: boundedArray(z.enum(['git-diff', 'json']), 2).default([]),
      /** JSON Schema of the fields to compare. */
      schema: jsonSchema.optional(),
      /** Instructions for the language model in the mode `json`. */
      prompt: z.string().max(10_000).optional(),
      /** Separate history of the page. Default: the common one. */
      tag: z.string().max(200).nullable().default(null),
    })
    .optional(),
} as const

interface FormatOptions {
  readonly formats: readonly string[]
  readonly jsonOptions?: object | undefined
  readonly extract?: object | undefined
  readonly changeTrackingOptions?: object | undefined
}

/** Checks that options of a format are set if and only if the format is requested. */
export function checkV1Options(options: FormatOptions, context: z.core.$RefinementCtx): void {
  const refuse = (path: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [path], message, input: options })
  }
  const { formats } = options
  if ((options.jsonOptions !== undefined) !== formats.includes('json')) {
    refuse('jsonOptions', '`jsonOptions` and the format json require each other')
  }
  if ((options.extract !== undefined) !== formats.includes('extract')) {
    refuse('extract', '`extract` and the format extract require each other')
  }
  if (formats.includes('json') && formats.includes('extract'))
    refuse('formats', 'The formats json and extract cannot be combined')
  if (options.changeTrackingOptions !== undefined && !formats.includes('changeTracking')) {
    refuse('changeTrackingOptions', '`changeTrackingOptions` requires the format changeTracking')
  }
}

/** Body of `POST /v1/scrape`. Unknown keys are rejected. */
export const v1ScrapeRequest = z
  .strictObject({
    url: pageUrl,
    ...v1ScrapeFields,
    origin: clientName.optional(),
    integration: clientName.nullable().optional(),
  })
  .superRefine(checkV1Options)

/** A scrape request of API v1 with defaults applied. */
export type V1ScrapeRequest = z.output<typeof v1ScrapeRequest>
