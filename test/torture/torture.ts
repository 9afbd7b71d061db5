import { setTimeout as sleep } from 'node:timers/promises'
import { bucketAddress, startBucket } from '../lab/bucket.ts'
import { fixedPage, numberFrom, sendHtml, type Pages } from '../lab/pages/page.ts'
import { startPostgres, type LabDatabase } from '../lab/postgres.ts'
import { startReceiver } from '../lab/receiver.ts'
import { startSite } from '../lab/site.ts'
import { actorRandom } from './actor-random.ts'
import { startFaults } from './faults/faults.ts'
import { startFleet } from './fleet.ts'
import { judge, type Judgment } from './laws/laws.ts'
import { startLink } from './link.ts'
import { startLoad } from './load/load.ts'
import { startUpgrades } from './upgrades.ts'

/** Options of a torture run. */
export interface TortureOptions {
  /** Decides what the clients do and which faults happen. */
  readonly seed: number
  /** How long faults happen, in seconds. */
  readonly seconds: number
  /** 1: a server with its embedded database. More: servers on one PostgreSQL. */
  readonly servers: number
  /** Database of a PostgreSQL that is shared with others, and is not killed. Default: its own. */
  readonly database?: LabDatabase | undefined
  /** Replaces the servers one after the other, and causes no faults. Default: false. */
  readonly isRolling?: boolean | undefined
  /** Fewer clients, for the tests. Default: false. */
  readonly isLight?: boolean
  /** Aborting ends the run early and without a judgment. Nothing of it is left. */
  readonly signal?: AbortSignal | undefined
  /** Receives progress. */
  readonly log: (line: string) => void
}

/** Result of a torture run. */
export interface TortureResult extends Judgment {
  readonly seed: number
  readonly servers: number
  readonly isRolling: boolean
  readonly seconds: number
  /** How long all work took to end after the last fault, in seconds. */
  readonly settleSeconds: number
  /** Number of faults by name. */
  readonly faults: Readonly<Record<string, number>>
  /** Work of the clients. */
  readonly load: Readonly<Record<string, number>>
}

/** Faults of a run that is shorter are shorter than the time after which a server is dead. */
const longSeconds = 120

/** Failed webhooks are retried after a minute. Longer runs have some. */
const webhookFailureSeconds = 180

const pages: Pages = {
  '/work': async (exchange) => {
    await sleep(numberFrom(exchange.url, 'ms', 100))
    if (exchange.url.searchParams.has('fails')) exchange.response.statusCode = 500
    sendHtml(exchange, 'Work', '<h1>Work</h1><p>Some words.</p>')
  },
  '/start': fixedPage(
    'Start',
    Array.from({ length: 12 }, (_, index) => `<a href="/work?ms=200&crawl=${index}">${index}</a>`).join(''),
  ),
  '/memory': (exchange) => {
    const megabytes = numberFrom(exchange.url, 'megabytes', 100)
    sendHtml(
      exchange,
      'Memory',
      `<p>Full</p><script>const all = []; for (let mb = 0; mb < ${megabytes}; mb++) all.push(new Uint8Array(1e6).fill(1)); self.all = all</script>`,
    )
  },
}

/** Runs servers under load and faults, waits until all work has ended, and checks the laws. */
export async function torture(options: TortureOptions): Promise<TortureResult> {
  const { seed, seconds, servers, isRolling = false, isLight = false, signal, log } = options
  const isLong = seconds >= longSeconds
  await using undo = new AsyncDisposableStack()
  const postgres =
    servers > 1 && options.database === undefined ? undo.use(await startPostgres({ isDurable: true })) : undefined
  const database = options.database ?? (postgres && undo.use(await postgres.createDatabase()))
  const site = undo.use(await startSite(pages))
  const receiverRandom = actorRandom(seed, 'receiver')
  const mayFail = !isRolling && seconds >= webhookFailureSeconds
  const receiver = undo.use(await startReceiver(() => (mayFail && receiverRandom.whole(1, 20) === 1 ? 500 : 200)))
  // Other runs use a folder, which is faster.
  const bucketLink =
    isLong && servers > 1
      ? undo.use(await startLink({ host: '127.0.0.1', port: undo.use(await startBucket()).port }))
      : undefined
  const bucket = bucketLink && bucketAddress(bucketLink.port)
  const fleet = undo.use(await startFleet({ servers, database, bucket, maxSessions: isLight ? 4 : 6 }))
  const load = startLoad(fleet, { seed, site, webhookUrl: receiver.url(), isLight })
  const upgrades = isRolling ? startUpgrades(seed, { fleet, log }) : undefined
  const faults = upgrades ?? startFaults(seed, { fleet, load, databaseControl: postgres, bucketLink, isLong, log })
  await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined)
  await faults.stop()
  const records = await load.finish()
  signal?.throwIfAborted()
  const startedMs = performance.now()
  const judgment = await judge({
    fleet,
    records,
    receiver,
    settleMs: mayFail ? 400_000 : 150_000,
    hasLongOutages: isLong && postgres !== undefined,
    isOrderly: isRolling,
    log,
  })
  return {
    ...judgment,
    broken: [...judgment.broken, ...(upgrades?.failures ?? [])],
    seed,
    servers,
    isRolling,
    seconds,
    settleSeconds: Math.round((performance.now() - startedMs) / 1000),
    faults: Object.fromEntries(faults.counts),
    load: {
      requests: records.requests,
      'sessions received': records.sessions.length,
      ...Object.fromEntries(
        Object.entries(records.drivenSessions).map(([driver, count]) => [`sessions driven by ${driver}`, count]),
      ),
      scrapes: records.scrapes,
      batches: records.jobs.filter(({ kind }) => kind === 'batch').length,
      crawls: records.jobs.filter(({ kind }) => kind === 'crawl').length,
      'checks of monitors': records.checks.length,
      downloads: records.downloads,
    },
  }
}

/** Returns the command that repeats a run. */
export function commandOf({
  seed,
  servers,
  seconds,
  isRolling,
}: Pick<TortureOptions, 'seed' | 'servers' | 'seconds' | 'isRolling'>): string {
  const command = `npm run torture -- --seed ${seed} --minutes ${Number((seconds / 60).toFixed(3))} --servers ${servers}`
  return isRolling === true ? `${command} --rolling` : command
}
