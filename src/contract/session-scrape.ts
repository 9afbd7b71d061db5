import { z } from 'zod'
import type { Action } from './actions.ts'
import type { Format } from './formats.ts'
import { checkScrapeOptions, clientFields, scrapeFields, scrapeLimits } from './scrape.ts'

/** Options that only have an effect when a page is loaded. */
const loadOptions = {
  url: onlyWhenLoading(),
  maxAge: onlyWhenLoading(),
  minAge: onlyWhenLoading(),
  storeInCache: onlyWhenLoading(),
  lockdown: onlyWhenLoading(),
  headers: onlyWhenLoading(),
  mobile: onlyWhenLoading(),
  skipTlsVerification: onlyWhenLoading(),
  parsers: onlyWhenLoading(),
  location: onlyWhenLoading(),
  proxy: onlyWhenLoading(),
  allowedDomains: onlyWhenLoading(),
  fastMode: onlyWhenLoading(),
  profile: onlyWhenLoading(),
} as const

/** Limits of `timeout` of a scrape of a session, in milliseconds. */
export const sessionScrapeLimits = { ...scrapeLimits, maxTimeout: 300_000 } as const

const sessionScrapeFields = {
  ...scrapeFields,
  ...loadOptions,
  /** Default: `["markdown"]`. Without `changeTracking`, and screenshots without `viewport`. */
  formats: scrapeFields.formats.clone(),
  /** Steps on the page before it is read. They change the page of the session. */
  actions: scrapeFields.actions.clone(),
  /** Removes advertisements from the document, not from the page. Default: true. */
  blockAds: scrapeFields.blockAds.clone(),
  /** Timeout of the scrape in milliseconds, 1000 to 300000. Default: 60000. */
  timeout: z
    .int()
    .min(sessionScrapeLimits.minTimeout)
    .max(sessionScrapeLimits.maxTimeout)
    .default(sessionScrapeLimits.defaultTimeout),
  /** Target id of the page. Default: the page that was used last. */
  targetId: z.string().min(1).max(200).optional(),
  ...clientFields,
} as const

/** Body of `POST /v2/browser/{id}/scrape`. Unknown keys are rejected. */
export const sessionScrapeRequest = z.strictObject(sessionScrapeFields).superRefine(checkSessionScrape)

/** Body of `POST /v2/scrape` for the page of a session. */
export const scrapeBySessionRequest = z
  .strictObject({
    ...sessionScrapeFields,
    /** Id of a session. Scrapes its page as it is, without loading a URL. */
    sessionId: z.string().min(1).max(200),
  })
  .superRefine(checkSessionScrape)

function onlyWhenLoading() {
  return z.never('cannot be used with a session, whose page is read as it is, without loading it. Remove it').optional()
}

function checkSessionScrape(options: Parameters<typeof checkScrapeOptions>[0], context: z.core.$RefinementCtx): void {
  checkScrapeOptions(options, context)
  const refuse = (path: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [path], message, input: options })
  }
  if (options.formats.some(({ type }) => type === 'changeTracking')) {
    refuse('formats', 'The format changeTracking cannot be used with a session: scrape the URL of the page')
  }
  if (options.formats.some(resizesPage)) refuse('formats', viewportMessage)
  if (options.actions?.some(resizesPage) === true) refuse('actions', viewportMessage)
}

const viewportMessage = 'A screenshot of a session cannot have a `viewport`, which would resize the page of the session'

function resizesPage(step: Format | Action): boolean {
  return step.type === 'screenshot' && step.viewport !== undefined
}

export type SessionScrapeRequest = z.output<typeof sessionScrapeRequest>
/**
 * Options of `session.scrape()`: those of a scrape, except those about loading a page.
 *
 * @example
 * ```ts
 * import { Bowline, type SessionScrapeInput } from 'bowline'
 *
 * const options: SessionScrapeInput = { formats: ['markdown', 'links'], onlyMainContent: false }
 * await using session = await new Bowline().sessions.create({ ttl: 60 })
 * const { markdown, metadata } = await session.scrape(options)
 * console.log(metadata.url, markdown)
 * ```
 */
export type SessionScrapeInput = Omit<z.input<typeof sessionScrapeRequest>, keyof typeof loadOptions>
