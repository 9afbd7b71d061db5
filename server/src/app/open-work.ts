import type { BulkJobs } from '../bulk/bulk-jobs.ts'
import { openBulk } from '../bulk/open-bulk.ts'
import type { ServerConfig } from '../config.ts'
import type { Extracts } from '../extract/extracts.ts'
import { openExtracts } from '../extract/open-extracts.ts'
import { openJobs } from '../jobs/open-jobs.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { openMailer } from '../mail/open-mailer.ts'
import { openMapper, type Mapper } from '../map/mapper.ts'
import type { Monitors } from '../monitors/monitors.ts'
import { openMonitors } from '../monitors/open-monitors.ts'
import type { LanguageModel } from '../scrape/formats/language-model.ts'
import { openScrapes, type OpenScrapesParts } from '../scrape/open-scrapes.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { openSearches } from '../search/open-searches.ts'
import type { Searches } from '../search/searches.ts'
import { packageVersion } from '../version.ts'
import { openWebhooks } from '../webhooks/open-webhooks.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { createShowPage } from './show-page.ts'

/** What works for callers, at once or from a queue. */
export interface Work {
  readonly scrapes: Scrapes
  readonly searches: Searches
  readonly mapper: Mapper
  readonly extracts: Extracts
  readonly jobs: Jobs
  readonly webhooks: Webhooks
  readonly monitors: Monitors
  readonly bulk: BulkJobs
  readonly languageModel: LanguageModel | undefined
}

/** Opens what works for callers, into `undo`. What jobs use is opened before them, so that it is still there while they stop. */
export async function openWork(
  undo: AsyncDisposableStack,
  config: ServerConfig,
  parts: OpenScrapesParts & { readonly nodeId: string },
): Promise<Work> {
  const { store, egress, onError } = parts
  const { searches, index } = openSearches(undo, config, parts)
  const scrapes = openScrapes(undo, config, { ...parts, onScraped: index?.add })
  const showPage = createShowPage(scrapes)
  const mapper = undo.use(openMapper({ ...parts, showPage }))
  const dispatcher = egress.createDispatcher()
  undo.defer(async () => dispatcher.destroy())
  const jobs = undo.use(await openJobs({ store, onError }))
  const { webhookSecret } = config
  const webhooks = await openWebhooks(
    undo,
    { webhookSecret, version: packageVersion },
    { store, jobs, dispatcher, onError },
  )
  const mailer = await openMailer(undo, config, { store, jobs })
  const { llmUrl: url, llmModel: model, llmKey: key } = config
  const languageModel = url === undefined ? undefined : { url, model, key }
  const means = { ...parts, jobs, scrapes, searches, showPage, webhooks, dispatcher, languageModel }
  const monitors = await openMonitors(undo, { ...means, mailer })
  const bulk = await openBulk(undo, config, means)
  const extracts = await openExtracts(undo, means)
  return { scrapes, searches, mapper, extracts, jobs, webhooks, monitors, bulk, languageModel }
}
