import type { Billing } from '../billing/billing.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { openJobs } from '../jobs/open-jobs.ts'
import type { ServerConfig } from '../config.ts'
import type { Extracts } from '../extract/extracts.ts'
import { openExtracts } from '../extract/open-extracts.ts'
import { openTaskQueues } from '../queue/open-task-queues.ts'
import type { TaskQueues } from '../queue/task-queues.ts'
import { openMailer } from '../monitors/mail/open-mailer.ts'
import { openMapper, type Mapper } from '../map/mapper.ts'
import type { Monitors } from '../monitors/monitors.ts'
import { openMonitors } from '../monitors/open-monitors.ts'
import type { LanguageModel } from '../scrape/format/language-model.ts'
import { BilledScrapes } from '../scrape/billed-scrapes.ts'
import { openScrapes, type OpenScrapesDeps } from '../scrape/open-scrapes.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { openSearches, type SearchSettings } from '../search/open-searches.ts'
import type { Searches } from '../search/searches.ts'
import { packageVersion } from '../version.ts'
import { openWebhooks } from '../webhooks/open-webhooks.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { createRenderPage } from './render-for-map.ts'

/** Services behind the HTTP API that work on requests or jobs. */
export interface Services {
  readonly scrapes: Scrapes
  readonly billedScrapes: BilledScrapes
  readonly searches: Searches
  readonly mapper: Mapper
  readonly extracts: Extracts
  readonly queues: TaskQueues
  readonly webhooks: Webhooks
  readonly monitors: Monitors
  readonly jobs: Jobs
  readonly languageModel: LanguageModel | undefined
}

/**
 * Opens the services; `resources` closes them. Jobs are opened after the services they use, so that
 * they stop first.
 */
export async function openServices(
  resources: AsyncDisposableStack,
  config: ServerConfig,
  deps: OpenScrapesDeps & { readonly billing: Billing; readonly nodeId: string },
): Promise<Services> {
  const { store, blobs, browsers, profiles, egress, prices, billing, browserVersion, nodeId, onError } = deps
  const { searches, index } = openSearches(resources, searchSettings(config), { store, billing, prices, onError })
  const { llmUrl: url, llmModel: model, llmKey: key } = config
  const languageModel = url === undefined ? undefined : { url, model, key }
  const { proxyEnhanced, maxPages, adLists, dataDir } = config
  const scrapes = openScrapes(
    resources,
    { languageModel, hasEnhancedProxy: proxyEnhanced !== undefined, maxPages, adLists, dataDir },
    { store, blobs, browsers, profiles, egress, prices, browserVersion, indexPage: index?.add, onError },
  )
  const billedScrapes = new BilledScrapes({ store, billing, scrapes })
  const renderPage = createRenderPage(scrapes)
  const mapper = resources.use(openMapper({ billing, egress, prices, renderPage }))
  const dispatcher = egress.createDispatcher()
  resources.defer(async () => dispatcher.destroy())
  const queues = resources.use(await openTaskQueues({ store, onError }))
  const { webhookSecret } = config
  const webhooks = await openWebhooks(
    resources,
    { webhookSecret, version: packageVersion },
    { store, queues, dispatcher, onError },
  )
  const { smtpUrl, mailFrom, mailTrusted, publicUrl } = config
  const mailer = await openMailer(resources, { smtpUrl, mailFrom, mailTrusted, publicUrl }, { store, queues })
  const shared = { store, billing, queues, scrapes, webhooks, dispatcher, onError }
  const judging = { searches, renderPage, languageModel }
  const monitors = await openMonitors(resources, { ...shared, ...judging, mailer, nodeId })
  const { maxBulkPages, maxHostPages, hostDelay, robots } = config
  const jobs = await openJobs(resources, { maxBulkPages, maxHostPages, hostDelay, robots }, shared)
  const extracts = await openExtracts(resources, { ...shared, ...judging, prices })
  return { scrapes, billedScrapes, searches, mapper, extracts, queues, webhooks, monitors, jobs, languageModel }
}

function searchSettings({ search, searxngUrl, braveKey, braveUrl, searchPages }: ServerConfig): SearchSettings {
  return { search, searxngUrl, braveKey, braveUrl, searchPages }
}
