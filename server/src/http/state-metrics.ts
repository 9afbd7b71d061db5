import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { IsolationLayer } from '../browsers/isolation.ts'
import { unresponsiveAfterSeconds } from '../nodes/node-liveness.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import { readDisk } from './readiness.ts'

/** Dependencies of the metrics about the state of the server and its database. */
export interface StateMetricsDeps {
  readonly registry: Registry
  readonly store: Pick<Store, 'db'>
  readonly sessions: Pick<Sessions, 'isDraining'>
  readonly isolation: readonly IsolationLayer[]
  readonly dataDir: string
}

/** State of the database that all its servers share. */
interface StoreState {
  readonly nodes: number
  readonly jobs: number
  /** Age of the oldest running job. 0 without any. */
  readonly oldestJobSeconds: number
  readonly pages: number
  readonly deliveries: number
  readonly failedDeliveries: number
  readonly lateChecks: number
  /** Duration of the query. */
  readonly querySeconds: number
}

/** However often the metrics are read, the database is asked at most this often. */
const cacheMs = 10_000

/** A database that needs longer counts as down. */
const queryTimeoutMs = 2000

/** A due check of a monitor counts as late after this time. */
const lateAfterSeconds = 60

/** Registers gauges that are read from the database, the disk and the server when collected. */
export function registerStateMetrics({ registry, store, sessions, isolation, dataDir }: StateMetricsDeps): void {
  const registers = [registry]
  const readState = cached(async () => readStoreState(store))
  /** Reads NaN while the value is unknown. */
  const gauge = (name: string, help: string, read: () => Promise<number>): void => {
    void new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read())
      },
    })
  }
  const fromStore = (name: string, help: string, read: (state: StoreState) => number): void =>
    gauge(name, help, async () => readState().then((state) => (state === undefined ? Number.NaN : read(state))))

  gauge('bowline_draining', '1 while the server shuts down', async () => Number(sessions.isDraining))
  gauge('bowline_database_up', '1 if the database responds', async () => Number((await readState()) !== undefined))
  fromStore('bowline_database_query_seconds', 'Duration of the query for these metrics', (state) => state.querySeconds)
  fromStore('bowline_nodes_alive', 'Servers on the database that send heartbeats', (state) => state.nodes)
  fromStore('bowline_jobs_open', 'Batches and crawls that are running', (state) => state.jobs)
  fromStore('bowline_job_oldest_seconds', 'Age of the oldest running job', (state) => state.oldestJobSeconds)
  fromStore('bowline_job_pages_waiting', 'Pages of running jobs that are not done', (state) => state.pages)
  fromStore('bowline_webhooks_pending', 'Webhook deliveries to send or retry', (state) => state.deliveries)
  fromStore(
    'bowline_webhooks_failed',
    'Webhook deliveries given up in the last hour',
    (state) => state.failedDeliveries,
  )
  fromStore('bowline_monitor_checks_late', 'Due checks not started for a minute', (state) => state.lateChecks)
  gauge('bowline_data_dir_free_bytes', 'Free space of the disk of the data directory', async () =>
    readDisk(dataDir).then(
      ({ freeMb }) => freeMb * 1e6,
      () => Number.NaN,
    ),
  )
  const layers = new Gauge({
    name: 'bowline_isolation_layer',
    help: '1 for each active isolation layer of browsers, 0 for the others',
    labelNames: ['layer'] as const,
    registers,
  })
  for (const { name, state } of isolation) layers.set({ layer: name }, Number(state === 'on'))
}

/** Returns a function that resolves to the last value while it is fresh. `undefined`: failed. */
function cached<Value>(read: () => Promise<Value>): () => Promise<Value | undefined> {
  let known: { readonly atMs: number; readonly value: Promise<Value | undefined> } | undefined
  return async () => {
    const nowMs = performance.now()
    if (known === undefined || nowMs - known.atMs >= cacheMs) {
      // The metric `bowline_database_up` reports the failure. Prometheus waits for 10 s.
      known = { atMs: nowMs, value: Promise.race([read(), afterTimeout()]).catch(() => undefined) }
    }
    return known.value
  }
}

async function afterTimeout(): Promise<undefined> {
  return sleep(queryTimeoutMs, undefined, { ref: false })
}

async function readStoreState({ db }: Pick<Store, 'db'>): Promise<StoreState> {
  const startedMs = performance.now()
  const { rows } = await sql<Omit<StoreState, 'querySeconds'>>`
    select
      (select count(*)::int from node where not draining
        and heartbeat_at > now() - make_interval(secs => ${unresponsiveAfterSeconds}::double precision)) as nodes,
      (select count(*)::int from job where status = 'scraping') as jobs,
      (select coalesce(extract(epoch from now() - min(created_at)), 0)::float8
        from job where status = 'scraping') as oldest_job_seconds,
      (select count(*)::int from job join job_page on job_page.job_id = job.id
        where job.status = 'scraping' and job_page.state = 'queued') as pages,
      (select count(*)::int from webhook_delivery where status = 'pending') as deliveries,
      (select count(*)::int from webhook_delivery
        where status = 'failed' and created_at > now() - interval '1 hour') as failed_deliveries,
      (select count(*)::int from monitor where status = 'active'
        and next_run_at < now() - make_interval(secs => ${lateAfterSeconds}::double precision)) as late_checks
  `.execute(db)
  const [state] = rows
  if (state === undefined) throw new Error('The state of the database is empty')
  return { ...state, querySeconds: (performance.now() - startedMs) / 1000 }
}
