import type { ScrapeRequest } from 'bowline/contract/scrape'

/** Returns the source URL and the scrape id, for the metadata of a document. */
export function sourceMetadata({ request, sourceUrl }: ScrapeSource, scrapeId: string) {
  return { sourceURL: sourceUrl ?? request.url, scrapeId }
}

interface ScrapeSource {
  readonly request: ScrapeRequest
  readonly sourceUrl?: string | undefined
}

/** Returns `cacheState: 'miss'` if the request accepts cached pages. */
export function cacheMissMetadata({ maxAge, minAge, lockdown }: ScrapeRequest): { readonly cacheState?: 'miss' } {
  return maxAge > 0 || minAge !== undefined || lockdown ? { cacheState: 'miss' } : {}
}

/** Returns how long a scrape waited for the concurrency limit of its team. */
export function queueMetadata({ waitedMs = 0 }: { readonly waitedMs?: number | undefined }) {
  return {
    concurrencyLimited: waitedMs > 0,
    ...(waitedMs > 0 ? { concurrencyQueueDurationMs: Math.round(waitedMs) } : {}),
  }
}
