import { addCharges } from '../billing/account.ts'
import type { Billing } from '../billing/billing.ts'
import { createBatcher } from '../kit/create-batcher.ts'
import type { Store } from '../store/store.ts'
import type { PricedScrape, ScrapeOutcome } from './priced-scrape.ts'
import { withScrapeTimeout } from './scrape-timeout.ts'
import type { ScrapeCall, Scrapes } from './scrapes.ts'

/** Dependencies of scrapes that are billed. */
export interface BilledScrapesDeps {
  readonly store: Store
  readonly billing: Pick<Billing, 'reserve' | 'settle'>
  readonly scrapes: Pick<Scrapes, 'estimate' | 'scrape'>
}

/** Scrapes pages that a client asked for, and bills each: reserve, scrape, save and settle. */
export class BilledScrapes {
  readonly #deps: BilledScrapesDeps
  readonly #saveWithoutHold: (scrape: PricedScrape) => Promise<void>

  constructor(deps: BilledScrapesDeps) {
    this.#deps = deps
    // The embedded database commits one transaction at a time: waiting scrapes share the next
    // commit.
    this.#saveWithoutHold = createBatcher(async (scrapes) => saveScrapes(deps.store, scrapes))
  }

  /**
   * Scrapes one page within the timeout of its request. Throws SCRAPE_*, FORMAT_UNAVAILABLE,
   * INSUFFICIENT_CREDITS, EGRESS_REFUSED or PDF_*. A failed scrape costs nothing.
   */
  async scrape(call: ScrapeCall): Promise<ScrapeOutcome> {
    const { billing, scrapes } = this.#deps
    const { request, teamId } = call
    const credits = scrapes.estimate(request)
    return withScrapeTimeout(call, async (signal) => {
      // Leaves a third of the timeout for the scrape itself.
      const waitMs = (request.timeout * 2) / 3
      await using hold = await billing.reserve({ teamId, credits, takesSlot: true }, { waitMs, signal })
      await using scrape = await scrapes.scrape({ ...call, waitedMs: hold.waitedMs, signal })
      // A caller who has disconnected is not billed.
      signal.throwIfAborted()
      if (hold.id === undefined) await this.#saveWithoutHold(scrape)
      else await billing.settle(hold, scrape.charge, async (db) => scrape.save(db))
      scrape.markSaved()
      const { id, document } = scrape
      return { id, document, credits: scrape.credits }
    })
  }
}

/** Saves and bills scrapes of teams that had no limits when they started, all or none. */
export async function saveScrapes({ db }: Pick<Store, 'db'>, scrapes: readonly PricedScrape[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const scrape of scrapes) await scrape.save(transaction)
    await addCharges(
      transaction,
      scrapes.map((scrape) => scrape.charge),
    )
  })
}
