import type { Billing } from '../billing/billing.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { openJobs } from '../jobs/open-jobs.ts'
import type { ServerConfig } from '../config.ts'
import type { Extracts } from '../extract/extracts.ts'
import { openExtracts } from '../extract/open-extracts.ts'
import { openTaskQueues } from '../queue/open-task-queues.ts'
import type { TaskQueues } from '../queue/task-queues.ts'
import { openMailer } from '../mail/open-mailer.ts'
import { openMapper, type Mapper } from '../map/mapper.ts'
import type { Monitors } from '../monitors/monitors.ts'
import { openMonitors } from '../monitors/open-monitors.ts'
import type { LanguageModel } from '../scrape/format/language-model.ts'
import { BilledScrapes } from '../scrape/billed-scrapes.ts'
import { openScrapes, type OpenScrapesDeps } from '../scrape/open-scrapes.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { openSearches } from '../search/open-searches.ts'
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
  const { store, egress, onError } = deps
  const { searches, index } = openSearches(resources, config, deps)
  const scrapes = openScrapes(resources, config, { ...deps, indexPage: index?.add })
  const billedScrapes = new BilledScrapes({ ...deps, scrapes })
  const renderPage = createRenderPage(scrapes)
  const mapper = resources.use(openMapper({ ...deps, renderPage }))
  const dispatcher = egress.createDispatcher()
  resources.defer(async () => dispatcher.destroy())
  const queues = resources.use(await openTaskQueues({ store, onError }))
  const { webhookSecret } = config
  const webhooks = await openWebhooks(
    resources,
    { webhookSecret, version: packageVersion },
    { store, queues, dispatcher, onError },
  )
  const mailer = await openMailer(resources, config, { store, queues })
  const { llmUrl: url, llmModel: model, llmKey: key } = config
  const languageModel = url === undefined ? undefined : { url, model, key }
  const serviceDeps = { ...deps, queues, scrapes, searches, renderPage, webhooks, dispatcher, languageModel }
  const monitors = await openMonitors(resources, { ...serviceDeps, mailer })
  const jobs = await openJobs(resources, config, serviceDeps)
  const extracts = await openExtracts(resources, serviceDeps)
  return { scrapes, billedScrapes, searches, mapper, extracts, queues, webhooks, monitors, jobs, languageModel }
}
