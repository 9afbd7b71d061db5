import type { Dispatcher } from 'undici'
import type { Jobs } from '../jobs/jobs.ts'
import { PatternMatcher } from '../map/match-patterns.ts'
import { RobotsRules } from '../map/robots-rules.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { deleteExpiredBulkJobs } from '../store/bulk-jobs.ts'
import { createServerCount } from '../store/count-servers.ts'
import type { Store } from '../store/store.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { Announcer } from './announcer.ts'
import { BulkJobs } from './bulk-jobs.ts'
import { Crawler } from './crawler.ts'
import { HostGates } from './host-gates.ts'
import { JobCounter } from './job-counter.ts'
import { News } from './news.ts'
import { PageScraper } from './page-scraper.ts'
import { Runner } from './runner.ts'
import { Slots } from '../kit/slots.ts'

/** The parts of the server that batches and crawls are built from. */
export interface OpenBulkParts {
  readonly store: Store
  readonly jobs: Jobs
  readonly scrapes: Scrapes
  readonly webhooks: Webhooks
  /** The way out, which judges every connection; open for longer than the jobs. */
  readonly dispatcher: Dispatcher
  readonly onError: (error: unknown, what: string) => void
}

/** Their settings. */
export interface BulkSettings {
  /** Pages of batches and crawls that this server scrapes at a time. */
  readonly maxBulkPages: number
  /** Pages of one host at a time. */
  readonly maxHostPages: number
  /** Milliseconds between the starts of two pages of one host. */
  readonly hostDelay: number
  readonly robots: 'honour' | 'ignore'
}

const sweepMs = 600_000

/** Builds everything that does jobs of many pages, into `undo`, and begins to do them. */
export async function openBulk(
  undo: AsyncDisposableStack,
  settings: BulkSettings,
  parts: OpenBulkParts,
): Promise<BulkJobs> {
  const { store, onError } = parts
  const news = new News()
  const matcher = undo.use(new PatternMatcher())
  const announcer = new Announcer(parts.webhooks)
  const counter = new JobCounter({ ...parts, announcer })
  const scraper = new PageScraper({
    ...parts,
    announcer,
    news,
    crawler: new Crawler({ ...parts, matcher }),
    slots: new Slots(settings.maxBulkPages),
    gates: new HostGates({
      concurrency: settings.maxHostPages,
      delayMs: settings.hostDelay,
      servers: createServerCount(store),
    }),
    robots: new RobotsRules(parts.dispatcher),
    honoursRobots: settings.robots === 'honour',
  })
  const runner = await Runner.open({ ...parts, maxPages: settings.maxBulkPages, scraper, announcer, counter, news })
  const timer = setInterval(() => {
    deleteExpiredBulkJobs(store.db).catch((error: unknown) => onError(error, 'removing old batches'))
  }, sweepMs).unref()
  undo.defer(() => clearInterval(timer))
  return new BulkJobs({ ...parts, runner, announcer, counter, news })
}
