import { setInterval as every, setTimeout as sleep } from 'node:timers/promises'
import { sendHtml } from '../lab/pages/page.ts'
import { startPostgres, type LabPostgres } from '../lab/postgres.ts'
import { startSite, type Site } from '../lab/site.ts'
import { temporaryFolder } from '../lab/stores.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { watchDatabase, type DatabaseLoad } from './cluster/watch-database.ts'
import { atMost, ratioAtLeast, type BenchGroup, type Figure } from './group.ts'
import { processorMsOf } from './process-time.ts'

/**
 * Response time of a slow page. It is long enough that the limit is the number of pages that a
 * server works on at once, and not the two cores that 8 servers, PostgreSQL and the site share.
 */
const pageMs = 8000

/** Pages that a server works on at once. */
const pagesAtOnce = 16

/**
 * Sessions of a server at once. A browser starts for a second, three at a time, and the session is
 * deleted two seconds later.
 */
const sessionsAtOnce = 8
const lifeMs = 2000

/** Minimum share of linear growth. */
const minShare = 0.9

/** A measured run: what it did per second, and what that cost. */
interface Run {
  readonly count: number
  readonly perSecond: number
  readonly seconds: number
  readonly serverMs: number
  readonly database: DatabaseLoad
}

/** Work that was done, and how fast. */
interface Measured {
  readonly pieces: number
  readonly perSecond: number
}

/** Throughput of 1, 2, 4 and 8 servers, and the part of it that the database limits. */
export const group: BenchGroup = {
  name: 'cluster',
  about:
    `1, 2, 4 and 8 servers on one PostgreSQL, whose browsers are replaced by a delay and whose pages take ${pageMs} ms; ` +
    'baseline: one server, multiplied',
  run: async ({ isQuick, progress }) => {
    const rounds = isQuick ? 1 : 4
    await using postgres = await startPostgres()
    await using site = await startSite({
      '/slow': async (exchange) => {
        await sleep(pageMs)
        sendHtml(exchange, 'Slow', '<h1>Slow</h1>')
      },
    })
    const figures: Figure[] = []
    const single: Record<string, number> = {}
    for (const count of [1, 2, 4, 8]) {
      progress(`  ${count} servers`)
      const runs = await measure(postgres, site, { count, rounds })
      for (const [work, run] of Object.entries(runs)) {
        const { perSecond } = run
        single[work] ??= perSecond
        const growth = count === 1 ? {} : { baseline: single[work] * count, aim: ratioAtLeast(minShare) }
        figures.push({ name: `${work} per second, ${count} servers`, unit: '1/s', ours: perSecond, ...growth })
        if (count === 8) figures.push(...costsOf(work, run))
        if (run.database.blockedStatement !== undefined)
          progress(
            `  ${work} wait the longest for locks in: ${run.database.blockedStatement.replaceAll(/\s+/g, ' ').trim()}`,
          )
      }
    }
    return figures
  },
}

/** Returns what one piece of work costs, and how many one processor of PostgreSQL carries. */
function costsOf(work: string, { count, seconds, serverMs, database }: Run): readonly Figure[] {
  const databaseMs = database.processorMs / count
  return [
    { name: `processor time of the servers for one of the ${work}`, unit: 'ms', ours: serverMs / count },
    { name: `processor time of PostgreSQL for one of the ${work}`, unit: 'ms', ours: databaseMs },
    { name: `limit of one processor of PostgreSQL: ${work} per second`, unit: '1/s', ours: 1000 / databaseMs },
    { name: `transactions for one of the ${work}`, unit: '', ours: database.commits / count },
    { name: `transactions per second, 8 servers with ${work}`, unit: '1/s', ours: database.commits / seconds },
    { name: `lock wait for one of the ${work}`, unit: 'ms', ours: database.lockMs / count, aim: atMost(2) },
    {
      name: `connections of a server while it works on ${work}`,
      unit: '',
      ours: database.connections / 8,
      aim: atMost(8),
    },
  ]
}

async function measure(
  postgres: LabPostgres,
  site: Site,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<Record<'sessions' | 'pages', Run>> {
  await using database = await postgres.createDatabase()
  await using undo = new AsyncDisposableStack()
  const blobs = undo.use(await temporaryFolder()).path
  // Enough for every server to fill its page slots from this one host.
  const flags = ['--database-url', database.url, '--blobs', blobs, '--max-host-pages', String(pagesAtOnce * count)]
  const env = { NODE_OPTIONS: `--import=${new URL('cluster/without-browsers.mjs', import.meta.url).href}` }
  const servers: BenchServer[] = []
  for (let index = 0; index < count; index += 1)
    servers.push(undo.use(await startBenchServer({ browser: 'shell', warm: 0, flags, env })))
  const timed = async (work: () => Promise<Measured>): Promise<Run> => {
    const watched = await watchDatabase(database.url, postgres.mainPid())
    const serversMs = (): number => servers.reduce((sum, { pid }) => sum + processorMsOf(pid), 0)
    const [startMs, startServersMs] = [performance.now(), serversMs()]
    const { pieces, perSecond } = await work()
    const seconds = (performance.now() - startMs) / 1000
    return { count: pieces, perSecond, seconds, serverMs: serversMs() - startServersMs, database: await watched.stop() }
  }
  // The first requests compile code and open connections.
  await runSessions(servers, 1)
  const sessions = await timed(async () => runSessions(servers, rounds))
  const urls = Array.from({ length: rounds * pagesAtOnce }, (_, index) => site.url(`/slow?n=${index}`))
  const pages = await timed(async () => runBatches(servers, urls))
  return { sessions, pages }
}

/** Creates and deletes sessions, some at a time through each server, one after the other. */
async function runSessions(servers: readonly BenchServer[], rounds: number): Promise<Measured> {
  const count = servers.length * sessionsAtOnce
  const startMs = performance.now()
  const client = async (server: BenchServer, index: number): Promise<void> => {
    // Clients do not start in the same millisecond.
    await sleep((index / count) * lifeMs)
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await server.create()
      await sleep(lifeMs)
      const { status, body } = await server.api('DELETE', `/v2/browser/${id}`)
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    }
  }
  await Promise.all(Array.from({ length: count }, async (_, index) => client(servers[index % servers.length]!, index)))
  const pieces = count * rounds
  return { pieces, perSecond: (pieces / (performance.now() - startMs)) * 1000 }
}

/** Number of pages that are done after some milliseconds. */
interface Sample {
  readonly ms: number
  readonly count: number
}

/**
 * Sends a batch to each server at the same time. Measures while all have work: until the first
 * tenth of the pages is done, servers still start, and after nine tenths, some have none left.
 */
async function runBatches(servers: readonly BenchServer[], urls: readonly string[]): Promise<Measured> {
  const startMs = performance.now()
  const ids = await Promise.all(
    servers.map(async ({ api }) => {
      const { status, body } = await api('POST', '/v2/batch/scrape', { urls, formats: ['rawHtml'], maxAge: 0 })
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      return String(body['id'])
    }),
  )
  const total = servers.length * urls.length
  const samples: Sample[] = []
  for await (const _ of every(250)) {
    const jobs = await Promise.all(ids.map(async (id) => servers[0]!.api('GET', `/v2/batch/scrape/${id}?limit=1`)))
    const count = jobs.reduce((sum, { body }) => sum + Number(body['completed']), 0)
    samples.push({ ms: performance.now() - startMs, count })
    if (jobs.every(({ body }) => body['status'] === 'completed')) break
  }
  const [first, last] = [0.1, 0.9].map((share) => samples.find(({ count }) => count >= total * share)!) as [
    Sample,
    Sample,
  ]
  return { pieces: total, perSecond: ((last.count - first.count) / (last.ms - first.ms)) * 1000 }
}
