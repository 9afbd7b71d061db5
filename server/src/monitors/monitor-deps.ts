import type { Dispatcher } from 'undici'
import type { Billing } from '../billing/billing.ts'
import type { MetricRecorder } from '../metrics/metrics.ts'
import type { TaskQueues } from '../queue/task-queues.ts'
import type { Mailer } from './mail/mailer.ts'
import type { RenderPage } from '../map/render-start-page.ts'
import type { LanguageModel } from '../scrape/format/language-model.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import type { Searches } from '../search/searches.ts'
import type { Store } from '../store/store.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'

/** Dependencies of monitors and their checks. */
export interface MonitorDeps {
  readonly store: Store
  readonly billing: Billing
  readonly queues: TaskQueues
  readonly scrapes: Scrapes
  readonly searches: Searches
  /** Renders the start pages of crawls. */
  readonly renderPage: RenderPage
  readonly webhooks: Webhooks
  /** `undefined` if this server sends no emails. */
  readonly mailer: Mailer | undefined
  /** Sends requests through the egress policy. Must stay open longer than the queues. */
  readonly dispatcher: Dispatcher
  /** `undefined` if this server cannot judge changes. */
  readonly languageModel: LanguageModel | undefined
  /** Maximum number of monitors per team. */
  readonly maxMonitors: number
  readonly nodeId: string
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
  readonly onError: (error: unknown, action: string) => void
}
