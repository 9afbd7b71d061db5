import { addCharges } from '../billing/account.ts'
import type { Billing } from '../billing/billing.ts'
import { createBatcher } from '../kit/create-batcher.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Store } from '../store/store.ts'
import { PricedScrape, type ScrapeOutcome } from './priced-scrape.ts'
import { withScrapeTimeout } from './scrape-timeout.ts'
import type { FileScrapeCall, ScrapeCall, SessionScrapeCall } from './scrape-call.ts'
import type { Scrapes } from './scrapes.ts'
import { toScrapeRequest } from './session-scrape-request.ts'

/** Dependencies of scrapes that are billed. */
export interface BilledScrapesDeps {
  readonly store: Store
  readonly billing: Pick<Billing, 'reserve' | 'settle' | 'noteCharge'>
  readonly scrapes: Pick<Scrapes, 'estimate' | 'scrape' | 'scrapeSession' | 'parseFile'>
}

/** A scrape to bill, and its name in the error of its timeout. */
interface Work {
  readonly subject: string
  readonly timeout: number
  readonly credits: number
  readonly takesSlot: boolean
}

/** How long a scrape has waited, and the signal that limits it. */
type Started = Required<Pick<ScrapeCall, 'waitedMs' | 'signal'>>

/**
 * Minimum milliseconds between two commits while other scrapes are running. Scrapes that end in
 * between share the next one, which costs half the CPU time with four of them. A scrape that runs
 * alone is committed at once.
 */
const commitIntervalMs = 50

/** Scrapes pages that a client asked for, and bills each: reserve, scrape, save and settle. */
export class BilledScrapes {
  readonly #deps: BilledScrapesDeps
  readonly #saveWithoutHold: (scrape: PricedScrape) => Promise<void>
  /** Number of scrapes without a hold that are not saved yet. */
  #unsaved = 0

  constructor(deps: BilledScrapesDeps) {
    this.#deps = deps
    this.#saveWithoutHold = createBatcher(
      async (scrapes) => {
        await saveScrapes(deps.store, scrapes)
        for (const { charge } of scrapes) deps.billing.noteCharge(charge)
      },
      { intervalMs: commitIntervalMs, expectsMore: (waiting) => this.#unsaved > waiting },
    )
  }

  /**
   * Scrapes one page within the timeout of its request. Throws SCRAPE_*, FORMAT_UNAVAILABLE,
   * INSUFFICIENT_CREDITS, EGRESS_REFUSED or PDF_*. A failed scrape costs nothing.
   */
  async scrape(call: ScrapeCall): Promise<ScrapeOutcome> {
    const { scrapes } = this.#deps
    const { url, timeout } = call.request
    const work = { subject: url, timeout, credits: scrapes.estimate(call.request), takesSlot: true }
    return this.#run(work, call, async (started) => scrapes.scrape({ ...call, ...started }))
  }

  /**
   * Scrapes a page of a session within the timeout of its request. It takes no concurrency slot,
   * because the session has one. Throws like `scrape`, TARGET_NOT_FOUND, SESSION_ENDED.
   */
  async scrapeSession(session: LiveSession, call: SessionScrapeCall): Promise<ScrapeOutcome> {
    const { scrapes } = this.#deps
    const { id } = session.row
    const { timeout } = call.request
    const credits = scrapes.estimate(toScrapeRequest(call.request, 'http://session.invalid/'))
    const work = { subject: `The page of session ${id}`, timeout, credits, takesSlot: false }
    return this.#run(work, call, async (started) => scrapes.scrapeSession(session, { ...call, ...started }))
  }

  /** Parses a file within the timeout of its request. Throws like `Scrapes.parseFile`. */
  async parseFile(call: FileScrapeCall): Promise<ScrapeOutcome> {
    const { scrapes } = this.#deps
    const work = { subject: call.file.name, timeout: call.request.timeout, takesSlot: true }
    const credits = scrapes.estimate(call.request)
    return this.#run({ ...work, credits }, call, async (started) => scrapes.parseFile({ ...call, ...started }))
  }

  async #run(
    { subject, timeout, credits, takesSlot }: Work,
    { teamId, signal: caller }: Pick<ScrapeCall, 'teamId' | 'signal'>,
    start: (started: Started) => Promise<PricedScrape>,
  ): Promise<ScrapeOutcome> {
    const { billing } = this.#deps
    return withScrapeTimeout({ subject, timeout, signal: caller }, async (signal) => {
      // Leaves a third of the timeout for the scrape itself.
      const waitMs = (timeout * 2) / 3
      await using hold = await billing.reserve({ teamId, credits, takesSlot }, { waitMs, signal })
      using _unsaved = hold.id === undefined ? this.#countUnsaved() : undefined
      await using scrape = await start({ waitedMs: hold.waitedMs, signal })
      // A caller who has disconnected is not billed.
      signal.throwIfAborted()
      if (hold.id === undefined) await this.#saveWithoutHold(scrape)
      else await billing.settle(hold, scrape.charge, async (db) => scrape.save(db))
      scrape.markSaved()
      const { id, document } = scrape
      return { id, document, credits: scrape.credits }
    })
  }

  #countUnsaved(): Disposable {
    this.#unsaved += 1
    return { [Symbol.dispose]: () => void (this.#unsaved -= 1) }
  }
}

/** Saves and bills scrapes of teams that had no limits when they started, all or none. */
export async function saveScrapes({ db }: Pick<Store, 'db'>, scrapes: readonly PricedScrape[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await PricedScrape.saveAll(transaction, scrapes)
    await addCharges(
      transaction,
      scrapes.map((scrape) => scrape.charge),
    )
  })
}
