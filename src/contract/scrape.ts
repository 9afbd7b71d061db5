import { z } from 'zod'
import { auditMetadata } from './audit.ts'
import { boundedArray, clientName } from './bounded.ts'
import { action, maxActions, maxWaitMs, selector, waitOfActions } from './actions.ts'
import { profile } from './session-options.ts'
import { document } from './document.ts'
import { format, maxFormats } from './formats.ts'
import { location } from './location.ts'
import { domains } from './session-network.ts'
import { redactionOf, redactPii } from './redaction.ts'
import { pageUrl } from './page-url.ts'
import { parsers, pdfParserOf } from './parsers.ts'
import { requestHeaders } from './request-headers.ts'
import { threatProtection } from './threat-protection.ts'

const selectors = boundedArray(selector, 100)

/** Limits of `timeout` of a scrape, in milliseconds. */
export const scrapeLimits = { minTimeout: 1000, maxTimeout: 600_000, defaultTimeout: 60_000 } as const

/** Options shared by scrapes, batches, crawls and searches. */
export const scrapeFields = {
  /** Forms in which the page is returned. Default: `["markdown"]`. */
  formats: boundedArray(format, maxFormats).default([{ type: 'markdown' }]),
  /** Omits navigation, headers, footers and the like. Default: true. */
  onlyMainContent: z.boolean().default(true),
  /** Like `onlyMainContent`, and also omits what is only probably content. Default: false. */
  onlyCleanContent: z.boolean().default(false),
  /**
   * Keeps (`true`) or removes (`false`) the comments of readers in the main content. Default: those
   * that are probably content, such as the replies of a thread.
   */
  includeComments: z.boolean().optional(),
  /** CSS selectors. Returns only the elements that match one. At most 100. */
  includeTags: selectors.optional(),
  /** CSS selectors. Removes the elements that match one. At most 100. */
  excludeTags: selectors.optional(),
  /**
   * Maximum age of a stored page in milliseconds. 0 disables stored pages. Ignored with `minAge`
   * and `lockdown`. Default: two days.
   */
  maxAge: z.int().min(0).default(172_800_000),
  /** Minimum age of a stored page in milliseconds. Without such a page the response is 404. */
  minAge: z.int().min(0).optional(),
  /** Stores the page for later requests with `maxAge`. Default: true. */
  storeInCache: z.boolean().default(true),
  /** Uses only stored pages. Without a stored page the response is 404. Default: false. */
  lockdown: z.boolean().default(false),
  /**
   * Headers sent to the origin of the page. Other origins, including redirects, receive only
   * `User-Agent` and `Accept-Language`, which also set the browser's `navigator`.
   */
  headers: requestHeaders.optional(),
  /** Time to wait after the page has loaded, in milliseconds. Default: 0. */
  waitFor: z.int().min(0).max(maxWaitMs).default(0),
  /** Loads the page as on a phone. Default: false. */
  mobile: z.boolean().default(false),
  /** Accepts invalid certificates. Default: false. */
  skipTlsVerification: z.boolean().default(false),
  /** Timeout of the scrape in milliseconds. Default: 60000. */
  timeout: z.int().min(scrapeLimits.minTimeout).max(scrapeLimits.maxTimeout).default(scrapeLimits.defaultTimeout),
  /**
   * Parsers of files. `image` reads the text of images by OCR. `[]` returns PDFs as base64.
   * Default: `["pdf"]`.
   */
  parsers: parsers.default([{ type: 'pdf', mode: 'auto' }]),
  /**
   * Steps on the page before it is read, at most 50. In a session they change its page.
   * Default: none.
   */
  actions: boundedArray(action, maxActions).optional(),
  /** Emulated location: languages and time zone. Default: the United States. */
  location: location.optional(),
  /** Replaces the data of images in `data:` URLs with a placeholder. Default: true. */
  removeBase64Images: z.boolean().default(true),
  /**
   * Blocks requests for advertisements, and removes advertisements and cookie banners from the
   * document. Default: true.
   */
  blockAds: z.boolean().default(true),
  /**
   * Egress proxy. `stealth` is an alias of `enhanced`. A server without an enhanced proxy uses the
   * basic one and adds a `warning`. Default: `auto`, which uses `enhanced` if `basic` fails.
   */
  proxy: z.enum(['basic', 'stealth', 'enhanced', 'auto']).default('auto'),
  /**
   * Hosts that the page may have, in the form of `allowedDomains` of a session. Redirects to other
   * hosts fail, and frames of other hosts stay empty. Scripts, images and requests of scripts may
   * come from any host. Such pages are not cached. Default: all hosts.
   */
  allowedDomains: domains.optional(),
  /** Does not render pages in a browser unless an option requires it. Default: false. */
  fastMode: z.boolean().default(false),
  /**
   * Profile whose cookies and storage the page is loaded with, such as that of a login. Changes are
   * saved unless its `saveChanges` is false; pages of a job that save one run one after another. A
   * profile that does not exist is created. Such pages are not cached. Default: none.
   */
  profile: profile.optional(),
  /** Does not store any content of the page. Default: false. */
  zeroDataRetention: z.boolean().default(false),
  /**
   * Redacts personal data in Markdown, and in the formats that a language model makes from it, by
   * rules: email addresses, phone numbers, payment details and secrets. Default: false.
   */
  redactPII: redactPii.optional(),
  threatProtection,
  /** Says on whose behalf the call is made. Listed in the activity and sent with webhooks. */
  auditMetadata: auditMetadata.optional(),
  /** Accepted for compatibility, without effect. */
  useMock: z.unknown().optional(),
  /** Accepted for compatibility, without effect. */
  domainTools: z.unknown().optional(),
  /** Accepted for compatibility, without effect. */
  toolDetail: z.unknown().optional(),
} as const

/** Fields that clients add to describe themselves. */
export const clientFields = {
  /** Name of the client program. Ignored. */
  origin: clientName.optional(),
  /** Name of the integration. Ignored. */
  integration: clientName.nullable().optional(),
} as const

const scrapeOptionsObject = z.strictObject(scrapeFields)

/** Scrape options with defaults applied. */
export type ScrapeOptions = z.output<typeof scrapeOptionsObject>

/** Validates combinations of scrape options. */
export function checkScrapeOptions(
  options: Pick<ScrapeOptions, 'formats' | 'waitFor' | 'actions' | 'timeout' | 'redactPII'> & {
    readonly parsers?: ScrapeOptions['parsers'] | undefined
  },
  context: z.core.$RefinementCtx,
): void {
  const refuse = (path: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [path], message, input: options })
  }
  const kinds = options.formats.map(({ type }) => type)
  if (options.waitFor > options.timeout / 2) refuse('waitFor', 'waitFor must not exceed half of timeout')
  if (options.waitFor + waitOfActions(options.actions ?? []) > maxWaitMs) {
    refuse('actions', `waitFor and all waits must not exceed ${maxWaitMs} ms in total`)
  }
  if (kinds.includes('changeTracking') && !kinds.includes('markdown')) {
    refuse('formats', 'The format changeTracking requires the format markdown')
  }
  if (kinds.includes('rawBase64') && kinds.length > 1) {
    refuse('formats', 'The rawBase64 format cannot be combined with other formats')
  }
  if (kinds.includes('question') && kinds.includes('query')) {
    refuse('formats', 'The formats question and query share one answer: use only one of them')
  }
  const { parsers: chosen = [] } = options
  const parserTypes = chosen.map(({ type }) => type)
  if (new Set(parserTypes).size < parserTypes.length) refuse('parsers', 'Each parser can be used only once')
  const pdf = pdfParserOf(chosen)
  const hasPages = pdf?.pages === true || pdf?.pageMarkdown === true || pdf?.blocks === true
  if (hasPages && redactionOf(options.redactPII) !== undefined) {
    refuse('parsers', 'redactPII redacts only Markdown: use it without pages and blocks of PDFs')
  }
  for (const kind of new Set(kinds)) {
    if (kinds.filter((each) => each === kind).length > 1) refuse('formats', `The format ${kind} can be used only once`)
  }
}

/** Body of `POST /v2/scrape`. Unknown keys are rejected. */
export const scrapeRequest = z
  .strictObject({ url: pageUrl, ...scrapeFields, ...clientFields })
  .superRefine(checkScrapeOptions)

/** Response of the scrape routes. */
export const scrapeResponse = z.looseObject({
  success: z.literal(true),
  data: document,
  /** Options that were ignored, and limitations of the scrape. */
  warning: z.string().optional(),
})

/** Path parameters of a scrape. */
export const scrapeParams = z.object({ id: z.string().min(1) })

export type ScrapeRequest = z.output<typeof scrapeRequest>
/**
 * Options of a scrape.
 *
 * @example
 * ```ts
 * import { Bowline, type ScrapeInput } from 'bowline'
 *
 * const options: ScrapeInput = {
 *   formats: ['markdown', { type: 'screenshot', fullPage: true }],
 *   onlyMainContent: true,
 *   maxAge: 0, // milliseconds; always loads the page
 *   waitFor: 100,
 *   timeout: 30_000,
 * }
 * const { markdown, screenshot } = await new Bowline().scrape('https://example.com', options)
 * console.log(markdown, screenshot)
 * ```
 */
export type ScrapeInput = Omit<z.input<typeof scrapeRequest>, 'url'>
export type ScrapeResponse = z.output<typeof scrapeResponse>
