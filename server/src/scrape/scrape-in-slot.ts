import type { Billing } from '../billing/billing.ts'
import type { PricedScrape } from './priced-scrape.ts'
import { withScrapeTimeout } from './scrape-timeout.ts'
import type { ScrapeCall } from './scrape-call.ts'
import type { Scrapes } from './scrapes.ts'

/** Dependencies of `scrapeInSlot`. */
export interface ScrapeInSlotDeps {
  readonly billing: Pick<Billing, 'reserve'>
  readonly scrapes: Pick<Scrapes, 'scrape'>
}

/**
 * Scrapes a page that other work pays for, such as a check. Waits for a concurrency slot of the
 * team without a time limit: the timeout of the request covers only the scrape itself. Throws like
 * `Scrapes.scrape`.
 */
export async function scrapeInSlot({ billing, scrapes }: ScrapeInSlotDeps, call: ScrapeCall): Promise<PricedScrape> {
  const { teamId, signal } = call
  const { url, timeout } = call.request
  await using slot = await billing.reserve({ teamId, credits: 0, takesSlot: true }, { waitMs: Infinity, signal })
  const { waitedMs } = slot
  // Awaited, because `using` releases the slot when this function returns.
  return await withScrapeTimeout({ subject: url, timeout, signal }, async (limited) =>
    scrapes.scrape({ ...call, waitedMs, signal: limited }),
  )
}
