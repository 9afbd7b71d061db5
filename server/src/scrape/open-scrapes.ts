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
import { startSweepingScrapes } from './document/sweep-scrapes.ts'
import { Workers } from './format/html-workers.ts'

/** The parts of the server that scraping is built from. */
export interface OpenScrapesDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly browsers: BrowserPool
  readonly profiles: Profiles
  readonly egress: Egress
  readonly prices: Prices
  readonly permits: WorkPermits
  /** As `--version` prints it. */
  readonly browserVersion: string
  /** Default: nobody hears of them. */
  readonly onScraped?: OnScraped | undefined
  readonly onError: (error: unknown, what: string) => void
}

/** Its settings. */
export interface ScrapeSettings {
  readonly llmUrl?: string | undefined
  readonly llmModel: string
  readonly llmKey?: string | undefined
  readonly proxyEnhanced?: string | undefined
  readonly maxPages: number
  readonly adLists: readonly string[]
  readonly dataDir: string
}

/** PDFs that are read at once: each takes a processor, and may take 1.5 GB of memory. */
const pdfsAtOnce = Math.max(2, availableParallelism())

/** Builds everything that scrapes, into `undo`. */
export function openScrapes(undo: AsyncDisposableStack, settings: ScrapeSettings, deps: OpenScrapesDeps): Scrapes {
  const { llmUrl: url, llmModel: model, llmKey: key, maxPages } = settings
  const adLists = settings.adLists.length === 0 ? undefined : openLists(undo, settings, deps)
  const chromeMajor = /\d+/.exec(deps.browserVersion)?.[0] ?? '140'
  undo.use(startSweepingScrapes(deps))
  return undo.use(
    new Scrapes({
      ...deps,
      chromeMajor,
      workers: new Workers(),
      pdfSlots: new Semaphore(pdfsAtOnce),
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
