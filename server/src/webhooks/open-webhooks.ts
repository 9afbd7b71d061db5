import type { Dispatcher } from 'undici'
import type { JobQueues } from '../queue/job-queues.ts'
import type { Store } from '../store/store.ts'
import { sweepDeliveries } from '../store/webhooks.ts'
import { Webhooks } from './webhooks.ts'

/** The parts of the server that webhooks are built from. */
export interface OpenWebhooksDeps {
  readonly store: Store
  readonly queues: JobQueues
  /** The way out, which judges every connection; open for longer than the jobs. */
  readonly dispatcher: Dispatcher
  readonly onError: (error: unknown, what: string) => void
}

/** Their settings. */
export interface WebhookSettings {
  /** Signs for teams that have no secret of their own. */
  readonly webhookSecret?: string | undefined
  /** Seconds before each further try. Default 1, 5 and 15 minutes. */
  readonly retryDelaysSeconds?: readonly number[] | undefined
  readonly version: string
}

const sweepMs = 3_600_000
const retentionDays = 7

/** Builds everything that posts events, into `undo`. */
export async function openWebhooks(
  undo: AsyncDisposableStack,
  settings: WebhookSettings,
  { store, queues, dispatcher, onError }: OpenWebhooksDeps,
): Promise<Webhooks> {
  const timer = setInterval(() => {
    sweepDeliveries(store.db, retentionDays).catch((error: unknown) => onError(error, 'removing old deliveries'))
  }, sweepMs).unref()
  undo.defer(() => clearInterval(timer))
  const { webhookSecret: secret, retryDelaysSeconds, version } = settings
  return Webhooks.open({ store, queues, dispatcher, secret, retryDelaysSeconds, userAgent: `Bowline/${version}` })
}
