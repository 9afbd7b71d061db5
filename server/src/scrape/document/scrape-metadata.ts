import type { ScrapeRequest } from 'bowline/contract/scrape'
import type { Permit } from '../../usage/work-permits.ts'

/** Returns the metadata that a document is found by. */
export function sourceOf({ request, sourceUrl }: Sourced, scrapeId: string) {
  return { sourceURL: sourceUrl ?? request.url, scrapeId }
}

interface Sourced {
  readonly request: ScrapeRequest
  readonly sourceUrl?: string | undefined
}

/** Tells those who would have taken a stored page that there was none. */
export function missOf({ maxAge, minAge, lockdown }: ScrapeRequest): { readonly cacheState?: 'miss' } {
  return maxAge > 0 || minAge !== undefined || lockdown ? { cacheState: 'miss' } : {}
}

/** Returns the metadata of the time that a scrape waited for a place. */
export function waitOf({ waitedMs }: Pick<Permit, 'waitedMs'>) {
  return {
    concurrencyLimited: waitedMs > 0,
    ...(waitedMs > 0 ? { concurrencyQueueDurationMs: Math.round(waitedMs) } : {}),
  }
}
