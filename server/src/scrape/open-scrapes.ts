import { availableParallelism } from 'node:os'
import { Semaphore } from '../kit/semaphore.ts'
import type { BrowserPool } from '../browsers/pool.ts'
import type { Egress } from '../egress/egress.ts'
import type { Profiles } from '../profiles/profiles.ts'
import type { Blobs } from '../store/blobs.ts'
import type { Store } from '../store/store.ts'
import type { Prices } from '../usage/prices.ts'
import { openAdLists, type AdLists } from './render/ad-lists.ts'
import type { WorkPermits } from '../usage/work-permits.ts'
import { Renderer } from './render/renderer.ts'
import type { OnScraped } from './document/on-scraped.ts'
import { Scrapes } from './scrapes.ts'
import { startScrapeSweep } from './document/sweep-scrapes.ts'
import { HtmlThreadPool } from './format/html-thread-pool.ts'

/** Parts of the server that scraping uses. */
export interface OpenScrapesDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly browsers: BrowserPool
  readonly profiles: Profiles
  readonly egress: Egress
  readonly prices: Prices
  readonly permits: WorkPermits
  /** Output of `chromium --version`. */
  readonly browserVersion: string
  readonly onScraped?: OnScraped | undefined
  readonly onError: (error: unknown, what: string) => void
}

/** Settings of the scraper. */
export interface ScrapeSettings {
  readonly llmUrl?: string | undefined
  readonly llmModel: string
  readonly llmKey?: string | undefined
  readonly proxyEnhanced?: string | undefined
  readonly maxPages: number
  readonly adLists: readonly string[]
  readonly dataDir: string
}

/** PDFs parsed at the same time. Each takes a CPU and up to 1.5 GB of memory. */
const maxConcurrentPdfs = Math.max(2, availableParallelism())

/** Opens the scraper and its workers. `undo` closes them. */
export function openScrapes(undo: AsyncDisposableStack, settings: ScrapeSettings, deps: OpenScrapesDeps): Scrapes {
  const { llmUrl: url, llmModel: model, llmKey: key, maxPages } = settings
  const adLists = settings.adLists.length === 0 ? undefined : openLists(undo, settings, deps)
  const chromeMajor = /\d+/.exec(deps.browserVersion)?.[0] ?? '140'
  undo.use(startScrapeSweep(deps))
  return undo.use(
    new Scrapes({
      ...deps,
      chromeMajor,
      workers: new HtmlThreadPool(),
      pdfSlots: new Semaphore(maxConcurrentPdfs),
      renderer: new Renderer({ ...deps, maxPages, chromeMajor, adLists }),
      languageModel: url === undefined ? undefined : { url, model, key },
      hasEnhancedProxy: settings.proxyEnhanced !== undefined,
    }),
  )
}

function openLists(
  undo: AsyncDisposableStack,
  settings: ScrapeSettings,
  { egress, onError }: OpenScrapesDeps,
): AdLists {
  const { adLists: urls, dataDir } = settings
  const dispatcher = egress.createDispatcher()
  undo.defer(async () => dispatcher.destroy())
  return undo.use(openAdLists({ urls, dataDir, dispatcher, onError }))
}
