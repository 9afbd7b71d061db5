import type { ServerConfig } from '../config.ts'
import { openJobs } from '../jobs/open-jobs.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { openScrapes, type OpenScrapesParts } from '../scrape/open-scrapes.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { openSearches } from '../search/open-searches.ts'
import type { Searches } from '../search/searches.ts'
import { packageVersion } from '../version.ts'
import { openWebhooks } from '../webhooks/open-webhooks.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'

/** What works for callers, at once or from a queue. */
export interface Work {
  readonly scrapes: Scrapes
  readonly searches: Searches
  readonly jobs: Jobs
  readonly webhooks: Webhooks
}

/** Opens what works for callers, into `undo`. What jobs use is opened before them, so that it is still there while they stop. */
export const openWork = async (
  undo: AsyncDisposableStack,
  config: ServerConfig,
  parts: OpenScrapesParts,
): Promise<Work> => {
  const { store, egress, onError } = parts
  const { searches, index } = openSearches(undo, config, parts)
  const scrapes = openScrapes(undo, config, { ...parts, onScraped: index?.add })
  const dispatcher = egress.createDispatcher()
  undo.defer(async () => dispatcher.destroy())
  const jobs = undo.use(await openJobs({ store, databaseUrl: config.databaseUrl, onError }))
  const { webhookSecret } = config
  const webhooks = await openWebhooks(
    undo,
    { webhookSecret, version: packageVersion },
    { store, jobs, dispatcher, onError },
  )
  return { scrapes, searches, jobs, webhooks }
}
