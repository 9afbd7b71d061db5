import type { Document } from 'bowline/contract/document'
import { pageUrl, sourceUrl } from 'bowline/contract/page-url'
import type { SearchRequest } from 'bowline/contract/search'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { crossOriginHeaders } from '../kit/forward-headers.ts'
import type { ScrapeOutcome } from '../scrape/priced-scrape.ts'
import type { ScrapeCall } from '../scrape/scrape-call.ts'

/** Options of `scrapeResults`. */
export interface ScrapeResultsOptions {
  /** Scrapes one page, and stores it. */
  readonly scrape: (call: ScrapeCall) => Promise<ScrapeOutcome>
  readonly options: NonNullable<SearchRequest['scrapeOptions']>
  /** Whether `options.headers` are sent to a URL. Default: to all. */
  readonly takesHeaders?: ((url: URL) => boolean) | undefined
  readonly teamId: string
  readonly apiKeyId: string
  readonly baseUrl: string
  /** Aborts running scrapes. Their pages have an error. */
  readonly signal: AbortSignal
}

const concurrency = 6

/**
 * Scrapes URLs, six at a time, and returns the outcomes in the same order. A failed scrape has its
 * error in `metadata` and costs no credits. Never throws.
 */
export async function scrapeResults(
  urls: readonly string[],
  params: ScrapeResultsOptions,
): Promise<ReadonlyMap<string, Pick<ScrapeOutcome, 'document' | 'credits'>>> {
  const outcomes = new Map<string, Pick<ScrapeOutcome, 'document' | 'credits'>>()
  const waiting = [...new Set(urls)]
  const work = async (): Promise<void> => {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      outcomes.set(url, await scrapeOne(url, params))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  const inOrder = new Map<string, Pick<ScrapeOutcome, 'document' | 'credits'>>()
  for (const url of urls) {
    const outcome = outcomes.get(url)
    if (outcome !== undefined) inOrder.set(url, outcome)
  }
  return inOrder
}

async function scrapeOne(
  url: string,
  { scrape, options, takesHeaders = () => true, signal, ...caller }: ScrapeResultsOptions,
): Promise<Pick<ScrapeOutcome, 'document' | 'credits'>> {
  try {
    signal.throwIfAborted()
    const address = pageUrl.safeParse(url)
    if (!address.success) throw new BowlineError('BAD_REQUEST', address.error.issues[0]?.message ?? 'Invalid URL')
    const headers = takesHeaders(new URL(address.data)) ? options.headers : crossOriginHeaders(options.headers)
    const request = { ...options, headers, url: address.data }
    return await scrape({ ...caller, request, sourceUrl: sourceUrl(url, address.data), signal })
  } catch (error) {
    return { document: failed(url, error), credits: 0 }
  }
}

function failed(url: string, error: unknown): Document {
  const known = isBowlineError(error) ? error : undefined
  return {
    metadata: {
      url,
      sourceURL: url,
      // The status that the scrape itself would have returned.
      statusCode: known === undefined || known.status < 400 ? 500 : known.status,
      error: known?.message ?? 'The page could not be scraped because of an internal server error',
      ...(known === undefined ? {} : { code: known.code }),
    },
  }
}
