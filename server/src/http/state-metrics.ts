import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { IsolationLayer } from '../browsers/isolation.ts'
import type { NameOf } from '../metrics/metric-table.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { unresponsiveAfterSeconds } from '../nodes/node-liveness.ts'
import type { Store } from '../store/store.ts'
import { readDisk, type Readiness } from './readiness.ts'

/** Dependencies of the metrics about the state of the server and its database. */
export interface StateMetricsDeps {
  readonly store: Pick<Store, 'db'>
  readonly readiness: Pick<Readiness, 'check'>
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
  readonly lateChecks: number
  readonly databaseBytes: number
  /** Duration of the query. */
  readonly querySeconds: number
}

/** However often the metrics are read, the database is asked at most this often. */
const cacheMs = 10_000

/** A database that needs longer counts as down. */
const queryTimeoutMs = 2000

/** A due check of a monitor counts as late after this time. */
const lateAfterSeconds = 60

/** Registers the gauges that are read from the database, the disk and the server when collected. */
export function readState(metrics: Metrics, { store, readiness, isolation, dataDir }: StateMetricsDeps): void {
  const readStore = cached(async () => readStoreState(store))
  const fromStore = (name: NameOf<'gauge'>, read: (state: StoreState) => number): void =>
    metrics.read(name, async () => {
      const state = await readStore()
      return state === undefined ? Number.NaN : read(state)
    })

  metrics.read('bowline_ready', async () => Number((await readiness.check()).reasons.length === 0))
  metrics.read('bowline_database_up', async () => Number((await readStore()) !== undefined))
  fromStore('bowline_database_query_seconds', (state) => state.querySeconds)
  fromStore('bowline_database_size_bytes', (state) => state.databaseBytes)
  fromStore('bowline_nodes_alive', (state) => state.nodes)
  fromStore('bowline_jobs_open', (state) => state.jobs)
  fromStore('bowline_job_oldest_seconds', (state) => state.oldestJobSeconds)
  fromStore('bowline_job_pages_waiting', (state) => state.pages)
  fromStore('bowline_webhooks_pending', (state) => state.deliveries)
  fromStore('bowline_monitor_checks_late', (state) => state.lateChecks)
  metrics.read('bowline_data_dir_free_bytes', async () =>
    readDisk(dataDir).then(
      ({ freeMb }) => freeMb * 1e6,
      () => Number.NaN,
    ),
  )
  metrics.readSamples('bowline_isolation_layer', () =>
    isolation.map(({ name: layer, state }) => ({ labels: { layer }, value: Number(state === 'on') })),
  )
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
      (select count(*)::int from monitor where status = 'active'
        and next_run_at < now() - make_interval(secs => ${lateAfterSeconds}::double precision)) as late_checks,
      pg_database_size(current_database())::float8 as database_bytes
  `.execute(db)
  const [state] = rows
  if (state === undefined) throw new Error('The state of the database is empty')
  return { ...state, querySeconds: (performance.now() - startedMs) / 1000 }
}
