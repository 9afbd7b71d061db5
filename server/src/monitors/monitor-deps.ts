import type { Dispatcher } from 'undici'
import type { JobQueues } from '../queue/job-queues.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { ShowPage } from '../map/show-start.ts'
import type { LanguageModel } from '../scrape/format/language-model.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import type { Searches } from '../search/searches.ts'
import type { Store } from '../store/store.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'

/** What monitors are made with. */
export interface MonitorDeps {
  readonly store: Store
  readonly queues: JobQueues
  readonly scrapes: Scrapes
  readonly searches: Searches
  /** Shows the start pages of crawls. */
  readonly showPage: ShowPage
  readonly webhooks: Webhooks
  /** Undefined: this server sends no mail. */
  readonly mailer: Mailer | undefined
  /** The way out, which judges every connection; open for longer than the jobs. */
  readonly dispatcher: Dispatcher
  /** Undefined: nothing is judged. */
  readonly languageModel: LanguageModel | undefined
  readonly nodeId: string
  readonly onError: (error: unknown, what: string) => void
}
