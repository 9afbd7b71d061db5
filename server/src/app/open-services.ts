import type { Dispatcher } from 'undici'
import type { Blobs } from '../blobs/blobs.ts'
import type { BrowserHost } from '../browsers/host.ts'
import type { Egress } from '../egress/egress.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { openJobs, type JobSettings } from '../jobs/open-jobs.ts'
import { SchemaChecker } from '../json-schema/schema-checker.ts'
import type { Extracts } from '../extract/extracts.ts'
import { openExtracts } from '../extract/open-extracts.ts'
import { openTaskQueues } from '../queue/open-task-queues.ts'
import type { TaskQueues } from '../queue/task-queues.ts'
import { openMailer, type MailSettings } from '../monitors/mail/open-mailer.ts'
import { openMapper, type Mapper } from '../map/mapper.ts'
import type { Monitors } from '../monitors/monitors.ts'
import { openMonitors } from '../monitors/open-monitors.ts'
import type { LanguageModel } from '../scrape/format/language-model.ts'
import { BilledScrapes } from '../scrape/billed-scrapes.ts'
import { openScrapes, type ScrapeSettings } from '../scrape/open-scrapes.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { openSearches, type SearchSettings } from '../search/open-searches.ts'
import type { Searches } from '../search/searches.ts'
import { openWebhooks, type WebhookSettings } from '../webhooks/open-webhooks.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { SessionWebhooks } from '../sessions/session-webhooks.ts'
import type { SharedDeps } from './shared-deps.ts'
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
  readonly sessionWebhooks: SessionWebhooks
  readonly monitors: Monitors
  readonly jobs: Jobs
  readonly languageModel: LanguageModel | undefined
  /** Checks data of the language model. */
  readonly schemas: SchemaChecker
}

/** Settings of the services. */
export interface ServiceSettings {
  readonly searches: SearchSettings
  /** `undefined` if this server has none. */
  readonly languageModel: LanguageModel | undefined
  readonly scrapes: ScrapeSettings
  readonly webhooks: WebhookSettings
  readonly mail: MailSettings
  readonly maxMonitors: number
  readonly jobs: JobSettings
}

/** Dependencies of the services. */
export interface ServiceDeps {
  readonly shared: SharedDeps
  readonly blobs: Blobs
  readonly egress: Egress
  readonly host: BrowserHost
}

/**
 * Opens the services; `resources` closes them. Jobs are opened after the services they use, so that
 * they stop first.
 */
export async function openServices(
  resources: AsyncDisposableStack,
  settings: ServiceSettings,
  { shared, blobs, egress, host }: ServiceDeps,
): Promise<Services> {
  const { store, billing, metrics, nodeId, onError } = shared
  const { languageModel, maxMonitors } = settings
  const schemas = resources.use(new SchemaChecker())
  const scraping = openScraping(resources, settings, { shared, blobs, egress, host, schemas })
  const { searches, scrapes, billedScrapes, renderPage, mapper } = scraping
  const dispatcher = egress.createDispatcher()
  resources.defer(async () => dispatcher.destroy())
  const sending = await openSending(resources, settings, { shared, egress, dispatcher })
  const { queues, webhooks, sessionWebhooks, mailer } = sending
  const monitors = await openMonitors(resources, {
    store,
    billing,
    queues,
    scrapes,
    searches,
    renderPage,
    webhooks,
    mailer,
    dispatcher,
    languageModel,
    maxMonitors,
    nodeId,
    metrics,
    onError,
  })
  const { jobs, extracts } = await openPageWork(resources, settings, { shared, scraping, sending, dispatcher, schemas })
  return {
    scrapes,
    billedScrapes,
    searches,
    mapper,
    extracts,
    queues,
    webhooks,
    sessionWebhooks,
    monitors,
    jobs,
    languageModel,
    schemas,
  }
}

/** Opens jobs and extractions. */
async function openPageWork(
  resources: AsyncDisposableStack,
  settings: Pick<ServiceSettings, 'jobs' | 'languageModel'>,
  deps: Pick<ServiceDeps, 'shared'> & {
    readonly scraping: ReturnType<typeof openScraping>
    readonly sending: Awaited<ReturnType<typeof openSending>>
    readonly dispatcher: Dispatcher
    readonly schemas: SchemaChecker
  },
) {
  const { dispatcher, schemas } = deps
  const { store, billing, prices, onError } = deps.shared
  const { scrapes, searches, renderPage } = deps.scraping
  const { queues, webhooks } = deps.sending
  const jobDeps = { store, billing, queues, scrapes, webhooks, dispatcher, onError }
  const jobs = await openJobs(resources, settings.jobs, jobDeps)
  const extracts = await openExtracts(resources, {
    store,
    billing,
    queues,
    scrapes,
    searches,
    renderPage,
    webhooks,
    dispatcher,
    languageModel: settings.languageModel,
    schemas,
    prices,
    onError,
  })
  return { jobs, extracts }
}

/** Opens queues, webhooks and emails. */
async function openSending(
  resources: AsyncDisposableStack,
  settings: Pick<ServiceSettings, 'webhooks' | 'mail'>,
  { shared, egress, dispatcher }: Pick<ServiceDeps, 'shared' | 'egress'> & { readonly dispatcher: Dispatcher },
) {
  const { store, metrics, tracer, onError } = shared
  const queues = resources.use(await openTaskQueues({ store, tracer, onError }))
  const { connector } = egress
  const webhookDeps = { store, queues, dispatcher, connector, metrics, onError }
  const webhooks = await openWebhooks(resources, settings.webhooks, webhookDeps)
  const sessionWebhooks = new SessionWebhooks({ webhooks, onError })
  const mailer = await openMailer(resources, settings.mail, { store, queues, onError })
  return { queues, webhooks, sessionWebhooks, mailer }
}

/** Opens scrapes, searches and maps. */
function openScraping(
  resources: AsyncDisposableStack,
  settings: Pick<ServiceSettings, 'searches' | 'scrapes' | 'languageModel'>,
  { shared, blobs, egress, host, schemas }: ServiceDeps & Pick<Services, 'schemas'>,
) {
  const { store, browsers, profiles, prices, billing, metrics, onError } = shared
  const { searches, index } = openSearches(resources, settings.searches, { store, billing, prices, onError })
  const scrapes = openScrapes(resources, settings.scrapes, {
    store,
    blobs,
    browsers,
    profiles,
    egress,
    prices,
    languageModel: settings.languageModel,
    schemas,
    isolation: host.isolation,
    browserVersion: host.binary.version,
    indexPage: index?.add,
    metrics,
    onError,
  })
  const billedScrapes = new BilledScrapes({ store, billing, scrapes })
  const renderPage = createRenderPage(scrapes)
  const mapper = resources.use(openMapper({ billing, egress, prices, renderPage }))
  return { searches, scrapes, billedScrapes, renderPage, mapper }
}
