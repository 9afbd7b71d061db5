import type { Dispatcher } from 'undici'
import type { Billing } from '../billing/billing.ts'
import { runEvery } from '../kit/run-every.ts'
import type { TaskQueues } from '../queue/task-queues.ts'
import { PatternMatcher } from '../map/pattern-matcher.ts'
import { RobotsRules } from '../map/robots-rules.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { deleteExpiredJobs } from './job-queries.ts'
import { createServerCounter } from '../nodes/count-servers.ts'
import type { Store } from '../store/store.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { JobWebhooks } from './job-webhooks.ts'
import { Jobs } from './jobs.ts'
import { PageDiscovery } from './page-discovery.ts'
import { HostThrottle } from './host-throttle.ts'
import { JobCounter } from './job-counter.ts'
import { JobEvents } from './job-events.ts'
import { PageScraper } from './page-scraper.ts'
import { Runner } from './runner.ts'
import { Semaphore } from '../kit/semaphore.ts'

export interface OpenJobsDeps {
  readonly store: Store
  readonly billing: Billing
  readonly queues: TaskQueues
  readonly scrapes: Scrapes
  readonly webhooks: Webhooks
  /** Sends requests through the egress policy. Must stay open longer than the jobs. */
  readonly dispatcher: Dispatcher
  readonly onError: (error: unknown, action: string) => void
}

/** Settings of batches and crawls. */
export interface JobSettings {
  /** Maximum number of pages that this server scrapes at once for batches and crawls. */
  readonly maxBulkPages: number
  /** Maximum number of concurrent pages of one host. */
  readonly maxHostPages: number
  /** Milliseconds between the starts of two pages of one host. */
  readonly hostDelay: number
  readonly robots: 'honour' | 'ignore'
}

const sweepMs = 600_000

/** Starts processing batches and crawls on this server. `resources` stops it. */
export async function openJobs(
  resources: AsyncDisposableStack,
  settings: JobSettings,
  deps: OpenJobsDeps,
): Promise<Jobs> {
  const { store, onError } = deps
  const jobEvents = new JobEvents()
  const matcher = resources.use(new PatternMatcher())
  const jobWebhooks = new JobWebhooks(deps.webhooks)
  const counter = new JobCounter({ ...deps, jobWebhooks })
  const scraper = new PageScraper({
    ...deps,
    jobWebhooks,
    jobEvents,
    pageDiscovery: new PageDiscovery({ ...deps, matcher }),
    slots: new Semaphore(settings.maxBulkPages),
    throttle: new HostThrottle({
      concurrency: settings.maxHostPages,
      delayMs: settings.hostDelay,
      servers: createServerCounter(store),
    }),
    robots: new RobotsRules(deps.dispatcher),
    honoursRobots: settings.robots === 'honour',
  })
  const runner = await Runner.open({
    ...deps,
    serverPages: settings.maxBulkPages,
    scraper,
    jobWebhooks,
    counter,
    jobEvents,
  })
  resources.use(
    runEvery(sweepMs, async () => deleteExpiredJobs(store.db), {
      onError: (error) => onError(error, 'deleting expired jobs'),
    }),
  )
  return new Jobs({ ...deps, runner, jobWebhooks, counter, jobEvents })
}
