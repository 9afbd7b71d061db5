import { availableParallelism } from 'node:os'
import { Semaphore } from '../kit/semaphore.ts'
import { jailOf, type IsolationLayers } from '../browsers/isolation.ts'
import type { BrowserPool } from '../browsers/pool.ts'
import type { Egress } from '../egress/egress.ts'
import type { Profiles } from '../profiles/profiles.ts'
import type { MetricRecorder } from '../metrics/metrics.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Store } from '../store/store.ts'
import type { Prices } from '../billing/prices.ts'
import { openAdLists, type AdLists } from './render/ad-lists.ts'
import { Renderer } from './render/renderer.ts'
import type { IndexPage } from './document/scraped-page.ts'
import { Scrapes } from './scrapes.ts'
import { startScrapeSweep } from './document/sweep-scrapes.ts'
import type { SchemaChecker } from '../json-schema/schema-checker.ts'
import type { LanguageModel } from './format/language-model.ts'
import { DocumentReader } from './load/document-reader.ts'
import { HtmlProcesses } from './format/html-processes.ts'

/** Parts of the server that scraping uses. */
export interface OpenScrapesDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly browsers: BrowserPool
  readonly isolation: IsolationLayers
  readonly profiles: Profiles
  readonly egress: Egress
  readonly prices: Prices
  /** `undefined` if this server has none. */
  readonly languageModel: LanguageModel | undefined
  readonly schemas: SchemaChecker
  /** Output of `chromium --version`. */
  readonly browserVersion: string
  readonly indexPage?: IndexPage | undefined
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
  readonly onError: (error: unknown, action: string) => void
}

/** Settings of the scraper. */
export interface ScrapeSettings {
  readonly hasEnhancedProxy: boolean
  readonly maxPages: number
  readonly adLists: readonly string[]
  readonly dataDir: string
}

/** PDFs parsed at the same time. Each takes a CPU and up to 1.5 GB of memory. */
const maxConcurrentPdfs = Math.max(2, availableParallelism())

/** Opens the scraper and its workers. `resources` closes them. */
export function openScrapes(resources: AsyncDisposableStack, settings: ScrapeSettings, deps: OpenScrapesDeps): Scrapes {
  const { hasEnhancedProxy, maxPages } = settings
  const { store, blobs, browsers, profiles, egress, prices, languageModel, schemas, indexPage, metrics, onError } = deps
  const adLists = settings.adLists.length === 0 ? undefined : openLists(resources, settings, deps)
  const chromeMajor = /\d+/.exec(deps.browserVersion)?.[0] ?? '140'
  resources.use(startScrapeSweep({ store, blobs, onError }))
  return resources.use(
    new Scrapes({
      store,
      blobs,
      egress,
      prices,
      languageModel,
      schemas,
      indexPage,
      chromeMajor,
      workers: new HtmlProcesses(),
      documents: new DocumentReader(),
      jail: jailOf(deps.isolation),
      pdfSlots: new Semaphore(maxConcurrentPdfs),
      renderer: new Renderer({ browsers, egress, profiles, maxPages, chromeMajor, adLists, metrics }),
      hasEnhancedProxy,
      metrics,
      onError,
    }),
  )
}

function openLists(
  resources: AsyncDisposableStack,
  settings: ScrapeSettings,
  { egress, onError }: OpenScrapesDeps,
): AdLists {
  const { adLists: urls, dataDir } = settings
  const dispatcher = egress.createDispatcher()
  resources.defer(async () => dispatcher.destroy())
  return resources.use(openAdLists({ urls, dataDir, dispatcher, onError }))
}
