import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../lab/random.ts'
import { startPostgres } from '../lab/postgres.ts'
import { fixedPage, numberFrom, sendHtml, type Pages } from '../lab/pages/page.ts'
import { startSite } from '../lab/site.ts'
import { atLeast, atMost, type BenchGroup } from './group.ts'
import { startFaults } from './kills/faults.ts'
import { startFleet } from './kills/fleet.ts'
import { findBrokenLaws } from './kills/laws.ts'
import { startWorkload } from './kills/workload.ts'

/** How long faults happen in a round, in milliseconds. */
const roundMs = 30_000

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
}

/** Laws of the ledger, after servers, browsers, connections and clients were killed at random. */
export const group: BenchGroup = {
  name: 'kills',
  about:
    'servers, browsers, database connections and clients are killed or stopped at random, in turn on PostgreSQL and on the embedded database; `--rounds N` sets the number of rounds, `BOWLINE_SEED` the first seed',
  run: async ({ isQuick, rounds = isQuick ? 2 : 12, progress }) => {
    const firstSeed = Number(process.env['BOWLINE_SEED'] ?? Math.floor(Math.random() * 1e6))
    await using postgres = await startPostgres()
    const broken: string[] = []
    const totals = { faults: 0, browserFaults: 0, sessions: 0, requests: 0, pages: 0 }
    for (let seed = firstSeed; seed < firstSeed + rounds; seed += 1) {
      const random = createRandom(seed)
      await using site = await startSite(pages)
      await using database = seed % 2 === 0 ? await postgres.createDatabase() : undefined
      await using fleet = await startFleet(database)
      const workload = startWorkload(fleet, site, createRandom(seed + 1_000_000))
      const faults = startFaults({ fleet, workload, random, log: (line) => progress(`    ${line}`) })
      await sleep(roundMs)
      await faults.stop()
      const records = await workload.finish()
      const found = await findBrokenLaws(fleet, records)
      for (const law of found) progress(`  seed ${seed}: BROKEN: ${law}`)
      broken.push(...found)
      totals.faults += faults.count()
      totals.browserFaults += faults.browserCount()
      totals.sessions += records.sessions.length
      totals.requests += records.requests
      totals.pages += records.jobs.reduce((sum, { pages: count }) => sum + count, 0)
      progress(`  seed ${seed}: ${found.length} laws broken, ${JSON.stringify({ ...totals })} so far`)
    }
    return [
      { name: 'faults', unit: '', ours: totals.faults },
      { name: 'browsers killed or paused', unit: '', ours: totals.browserFaults, aim: atLeast(rounds) },
      { name: 'sessions', unit: '', ours: totals.sessions },
      { name: 'requests', unit: '', ours: totals.requests },
      { name: 'pages of jobs', unit: '', ours: totals.pages },
      { name: 'broken laws', unit: '', ours: broken.length, aim: atMost(0) },
    ]
  },
}
