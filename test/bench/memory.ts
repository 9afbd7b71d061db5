import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import type { BrowserKind } from '../../server/src/browsers/browser-locations.ts'
import { groupMembers } from '../../server/src/browsers/process-table.ts'
import { browserPids } from '../lab/browser-processes.ts'
import { startSite } from '../lab/site.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { atMost, type BenchGroup, type BenchOptions, type Figure } from './group.ts'
import { memoryOf } from './process-memory.ts'

/** Memory of a live session and an idle server. */
export const group: BenchGroup = {
  name: 'memory',
  about: 'PSS of the browser of a session with a loaded page; RSS and PSS of the `bowline serve` process',
  run: async (options) => [
    ...(await measureServer(options)),
    ...(await measureSessions('shell', options)),
    ...(await measureSessions('chromium', options)),
  ],
}

async function settle({ isQuick }: BenchOptions): Promise<void> {
  return sleep(isQuick ? 3000 : 15_000)
}

async function measureServer(options: BenchOptions): Promise<readonly Figure[]> {
  await using server = await startBenchServer({ browser: 'shell', warm: 2 })
  await settle(options)
  const idle = memoryOf([server.pid])
  for (let index = 0; index < 20; index += 1) {
    const { id } = await server.create()
    await server.api('DELETE', `/v2/browser/${id}`)
  }
  await server.untilWarm()
  await settle(options)
  const used = memoryOf([server.pid])
  return [
    { name: 'server, idle, RSS', unit: 'MB', ours: idle.rss, aim: atMost(250) },
    { name: 'server, idle, PSS', unit: 'MB', ours: idle.pss },
    { name: 'server, idle after 20 sessions, RSS', unit: 'MB', ours: used.rss, aim: atMost(250) },
    { name: 'server, idle after 20 sessions, PSS', unit: 'MB', ours: used.pss },
  ]
}

async function measureSessions(kind: BrowserKind, options: BenchOptions): Promise<readonly Figure[]> {
  await using site = await startSite()
  // No warm browsers, so that every browser has a session.
  await using server = await startBenchServer({ browser: kind, warm: 0 })
  const figures: Figure[] = []
  let live = 0
  for (const count of [1, 8]) {
    for (; live < count; live += 1) await openPage(server, site.url('/'))
    await settle(options)
    const browsers = browserPids(server.dataDir)
    if (browsers.length !== count) throw new Error(`${count} sessions, but ${browsers.length} browsers`)
    const { pss } = memoryOf(browsers.flatMap((pid) => groupMembers(pid)))
    figures.push({
      name: `${kind}: each of ${count} live, PSS`,
      unit: 'MB',
      ours: pss / count,
      ...(kind === 'shell' && count === 8 ? { aim: atMost(100) } : {}),
    })
  }
  return figures
}

async function openPage(server: BenchServer, url: string): Promise<void> {
  const { cdpUrl } = await server.create({ ttl: 300 })
  const browser = await chromium.connectOverCDP(cdpUrl)
  await browser.contexts()[0]?.pages()[0]?.goto(url)
  await browser.close()
}
