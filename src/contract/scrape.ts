import { z } from 'zod'
import { withShorthand } from './shorthand.ts'
import { boundedArray, clientName } from './bounded.ts'
import { action, maxActions, maxWaitMs, selector, waitOfActions } from './actions.ts'
import { profile } from './browser.ts'
import { document } from './document.ts'
import { format, maxFormats } from './formats.ts'
import { location } from './location.ts'
import { pageUrl } from './page-url.ts'
import { requestHeaders } from './request-headers.ts'

function onlyFalse(what: string) {
  return z.literal(false, `This server does not ${what}`).optional()
}

/** How PDFs are read. */
const pdfParser = z.strictObject({
  type: z.literal('pdf', 'This server parses `pdf` and nothing else'),
  /** Only text that the file holds as text can be read: `ocr` is refused. */
  mode: z
    .enum(['fast', 'auto'], '`mode` must be `fast` or `auto`: this server reads no text from pictures (OCR)')
    .default('auto'),
  maxPages: z.int().min(1).max(10_000).optional(),
  /** Only `false`: this server does not list the pages of a PDF. */
  pages: onlyFalse('list the pages of a PDF'),
  /** Only `false`: an alias of `pages`. */
  pageMarkdown: onlyFalse('list the pages of a PDF'),
  /** Only `false`: this server does not locate the blocks of a PDF. */
  blocks: onlyFalse('locate the blocks of a PDF'),
  /** Only `false`: this server does not mark the pages of a PDF. */
  pageMarkers: onlyFalse('mark the pages of a PDF'),
})

/** Images need no parser: clients that name one get what they would get without. */
function withoutImages(value: unknown): unknown {
  const isImage = (each: unknown): boolean =>
    each === 'image' || (typeof each === 'object' && each !== null && 'type' in each && each.type === 'image')
  return Array.isArray(value) ? (value as readonly unknown[]).filter((each) => !isImage(each)) : value
}

const parserList = boundedArray(
  withShorthand(pdfParser, (value) => (typeof value === 'string' ? { type: value } : value), [
    'pdf',
  ]) as unknown as z.ZodType<PdfParser, 'pdf' | z.input<typeof pdfParser>>,
  1,
)

const parsers = z.preprocess(withoutImages, parserList) as unknown as typeof parserList

/** How PDFs are read. */
export type PdfParser = z.output<typeof pdfParser>

const selectors = boundedArray(selector, 100)

/** What every way to scrape takes: one page, a batch, a search. */
export const scrapeFields = {
  /** Default `["markdown"]`. */
  formats: boundedArray(format, maxFormats).default([{ type: 'markdown' }]),
  onlyMainContent: z.boolean().default(true),
  onlyCleanContent: z.boolean().default(false),
  includeTags: selectors.optional(),
  excludeTags: selectors.optional(),
  /** Milliseconds: a stored page younger than this is answered. 0: none. Default two days. */
  maxAge: z.int().min(0).default(172_800_000),
  /** Milliseconds: only a stored page at least this old is answered, and 404 when there is none. */
  minAge: z.int().min(0).optional(),
  storeInCache: z.boolean().default(true),
  /** Answers from the store alone; 404 when it has nothing. Default false. */
  lockdown: z.boolean().default(false),
  /** Sent to the origin of the page; other origins, also those it redirects to, get `User-Agent` alone. */
  headers: requestHeaders.optional(),
  /** Milliseconds to wait after the page has loaded. Default 0. */
  waitFor: z.int().min(0).max(maxWaitMs).default(0),
  mobile: z.boolean().default(false),
  skipTlsVerification: z.boolean().default(false),
  /** Milliseconds for the whole scrape. Default 60,000. */
  timeout: z.int().min(1000).max(600_000).default(60_000),
  /** Default `["pdf"]`. `[]`: a PDF is answered as base64. */
  parsers: parsers.default([{ type: 'pdf', mode: 'auto' }]),
  actions: boundedArray(action, maxActions).optional(),
  location: location.optional(),
  removeBase64Images: z.boolean().default(true),
  blockAds: z.boolean().default(true),
  /**
   * `stealth` means `enhanced`; a server without an enhanced proxy scrapes the basic way, with a `warning`. Default
   * `auto`: enhanced when basic fails.
   */
  proxy: z.enum(['basic', 'stealth', 'enhanced', 'auto']).default('auto'),
  /** Whether a page is never opened in a browser unless an option asks for one. Default false. */
  fastMode: z.boolean().default(false),
  profile: profile.optional(),
  /** Whether nothing of the page is kept. Default false. */
  zeroDataRetention: z.boolean().default(false),
  /** Only `false`: this server does not redact personal data. */
  redactPII: onlyFalse('redact personal data: remove `redactPII`, and redact what you get'),
  /** Only the mode `off`: this server does not rate addresses. */
  threatProtection: z
    .looseObject({
      mode: z.literal(
        'off',
        'This server has no threat protection: remove `threatProtection`, or set its mode to `off`',
      ),
    })
    .optional(),
  /** Accepted and without effect, as are the next three: other services log it. */
  auditMetadata: z.unknown().optional(),
  useMock: z.unknown().optional(),
  domainTools: z.unknown().optional(),
  toolDetail: z.unknown().optional(),
} as const

const clientFields = {
  /** Name of the client, as clients send it. Not used. */
  origin: clientName.optional(),
  /** Name of an integration, as clients send it. Not used. */
  integration: clientName.nullable().optional(),
} as const

const scrapeOptionsObject = z.strictObject(scrapeFields)

/** What to scrape of a page, and how: with defaults filled in. */
export type ScrapeOptions = z.output<typeof scrapeOptionsObject>

/** Rules that hold between the options. */
export function checkScrapeOptions(
  options: Pick<ScrapeOptions, 'formats' | 'waitFor' | 'actions' | 'timeout'>,
  context: z.core.$RefinementCtx,
): void {
  const refuse = (path: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [path], message, input: options })
  }
  const kinds = options.formats.map(({ type }) => type)
  if (options.waitFor > options.timeout / 2) refuse('waitFor', 'waitFor must not exceed half of timeout')
  if (options.waitFor + waitOfActions(options.actions ?? []) > maxWaitMs) {
    refuse('actions', `waitFor and all waits must not exceed ${maxWaitMs} ms together`)
  }
  if (kinds.includes('changeTracking') && !kinds.includes('markdown')) {
    refuse('formats', 'changeTracking needs markdown among the formats')
  }
  for (const kind of new Set(kinds)) {
    if (kinds.filter((each) => each === kind).length > 1) refuse('formats', `Only one ${kind} format is possible`)
  }
}

/** Body of `POST /v2/scrape`. Unknown keys are refused. */
export const scrapeRequest = z
  .strictObject({ url: pageUrl, ...scrapeFields, ...clientFields })
  .superRefine(checkScrapeOptions)

/** Answer of every way to scrape one page. */
export const scrapeResponse = z.looseObject({
  success: z.literal(true),
  data: document,
  warning: z.string().optional(),
})

/** Path parameters that name a scrape. */
export const scrapeParams = z.object({ id: z.string().min(1) })

export type ScrapeRequest = z.output<typeof scrapeRequest>
/** What a caller may say about a scrape besides the address. */
export type ScrapeInput = Omit<z.input<typeof scrapeRequest>, 'url'>
export type ScrapeResponse = z.output<typeof scrapeResponse>
