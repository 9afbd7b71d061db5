import { setInterval as every, setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { sendHtml } from '../lab/pages/page.ts'
import { startPostgres } from '../lab/postgres.ts'
import { startSite } from '../lab/site.ts'
import { temporaryFolder } from '../lab/stores.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { atMost, ratioAtLeast, type BenchGroup, type Figure } from './group.ts'

/**
 * Response time of a slow page. It is long enough that servers mostly wait for the network, as they
 * do for real sites, so that more servers are faster even on one machine with two cores.
 */
const slowMs = 2000

/** Pages that a server works on at once. */
const pagesAtOnce = 16

/** Speed-up of a batch by more servers on one PostgreSQL, and lock waits on the row of the job. */
export const group: BenchGroup = {
  name: 'cluster',
  about: `batches of pages of ${slowMs} ms with 1, 2 and 3 servers on one PostgreSQL; baseline: one server`,
  run: async ({ isQuick, progress }) => {
    const pages = isQuick ? 96 : 288
    await using postgres = await startPostgres()
    await using site = await startSite({
      '/slow': async (exchange) => {
        await sleep(slowMs)
        sendHtml(exchange, 'Slow', '<h1>Slow</h1>')
      },
    })
    const figures: Figure[] = []
    let single = 0
    for (const count of [1, 2, 3]) {
      progress(`  ${count} servers`)
      await using database = await postgres.createDatabase()
      await using undo = new AsyncDisposableStack()
      const blobs = undo.use(await temporaryFolder()).path
      // Enough for every server to fill its page slots from this one host.
      const flags = ['--database-url', database.url, '--blobs', blobs, '--max-host-pages', String(pagesAtOnce * count)]
      const servers: BenchServer[] = []
      for (let index = 0; index < count; index += 1)
        servers.push(undo.use(await startBenchServer({ browser: 'shell', warm: 0, flags })))
      const { pagesPerSecond, lockMsPerPage } = await runBatch(servers[0]!, database.url, {
        urls: Array.from({ length: pages }, (_, index) => site.url(`/slow?n=${index}`)),
      })
      if (count === 1) single = pagesPerSecond
      const possible = (pagesAtOnce * count * 1000) / slowMs
      const aim = count === 1 ? {} : { baseline: single, aim: ratioAtLeast(count * 0.6) }
      figures.push(
        { name: `pages per second, ${count} servers`, unit: '1/s', ours: pagesPerSecond, ...aim },
        {
          name: `share of the maximum that the response time allows, ${count} servers`,
          unit: '%',
          ours: (pagesPerSecond / possible) * 100,
        },
        { name: `lock wait per page, ${count} servers`, unit: 'ms', ours: lockMsPerPage, aim: atMost(2) },
      )
    }
    return figures
  },
}

async function runBatch(
  server: BenchServer,
  databaseUrl: string,
  { urls }: { readonly urls: readonly string[] },
): Promise<{ readonly pagesPerSecond: number; readonly lockMsPerPage: number }> {
  const locks = await watchLocks(databaseUrl)
  const startMs = performance.now()
  const { status, body } = await server.api('POST', '/v2/batch/scrape', { urls, formats: ['rawHtml'], maxAge: 0 })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  for await (const _ of every(100)) {
    const answer = await server.api('GET', `/v2/batch/scrape/${body['id']}?limit=1`)
    if (answer.body['status'] !== 'scraping') break
  }
  const seconds = (performance.now() - startMs) / 1000
  return { pagesPerSecond: urls.length / seconds, lockMsPerPage: (await locks.stop()) / urls.length }
}

/** Adds up the time that statements of pages wait for locks, sampled every 5 ms. */
async function watchLocks(databaseUrl: string): Promise<{ readonly stop: () => Promise<number> }> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const ended = new AbortController()
  const watch = async (): Promise<number> => {
    let waitedMs = 0
    let lastMs = performance.now()
    while (!ended.signal.aborted) {
      const { rows } = await client.query<{ waiting: string }>(
        // Excludes counting a job, which locks it. Ending a page does not wait for that lock.
        `select count(*) as waiting from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database() and query not like 'select % for update'`,
      )
      const nowMs = performance.now()
      waitedMs += Number(rows[0]?.waiting ?? 0) * (nowMs - lastMs)
      lastMs = nowMs
      await sleep(5)
    }
    await client.end()
    return waitedMs
  }
  const watched = watch()
  return {
    stop: async () => {
      ended.abort()
      return watched
    },
  }
}
