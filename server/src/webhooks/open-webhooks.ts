import type { Dispatcher } from 'undici'
import { runEvery } from '../kit/run-every.ts'
import type { Connector } from '../egress/connector.ts'
import type { MetricRecorder } from '../metrics/metrics.ts'
import type { TaskQueues } from '../queue/task-queues.ts'
import type { Store } from '../store/store.ts'
import { sweepDeliveries } from './webhook-queries.ts'
import { Webhooks } from './webhooks.ts'

/** Dependencies of `openWebhooks`. */
export interface OpenWebhooksDeps {
  readonly store: Store
  readonly queues: TaskQueues
  /** HTTP dispatcher with the egress policy. Must stay open longer than the queues. */
  readonly dispatcher: Dispatcher
  readonly connector: Pick<Connector, 'assertPermitted'>
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
  readonly onError: (error: unknown, action: string) => void
}

/** Settings of webhooks. */
export interface WebhookSettings {
  /** Signing secret for teams without their own. */
  readonly webhookSecret?: string | undefined
  /** Seconds before each retry. Default: 1, 5 and 15 minutes. */
  readonly retryDelaysSeconds?: readonly number[] | undefined
  readonly version: string
}

const sweepMs = 3_600_000
const retentionDays = 7

/** Opens webhook delivery and deletes old deliveries hourly. `resources` disposes it. */
export async function openWebhooks(
  resources: AsyncDisposableStack,
  settings: WebhookSettings,
  { store, queues, dispatcher, connector, metrics, onError }: OpenWebhooksDeps,
): Promise<Webhooks> {
  resources.use(
    runEvery(sweepMs, async () => sweepDeliveries(store.db, retentionDays), {
      onError: (error) => onError(error, 'deleting old webhook deliveries'),
    }),
  )
  const { webhookSecret: secret, retryDelaysSeconds, version } = settings
  return Webhooks.open({
    store,
    queues,
    dispatcher,
    connector,
    secret,
    retryDelaysSeconds,
    userAgent: `Bowline/${version}`,
    metrics,
    onError,
  })
}
