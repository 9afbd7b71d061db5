import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { Bowline } from '../../src/index.ts'
import { playwright } from '../../src/playwright.ts'
import { findBrowser } from '../../server/src/browsers/find.ts'
import { launchBrowser } from '../../server/src/browsers/launch.ts'
import type { BrowserKind } from '../../server/src/browsers/browser-locations.ts'
import { browserSearchEnvironment } from '../../server/src/config.ts'
import { openBrowserFixture } from '../../server/test/browsers/browser-fixture.ts'
import { startSite } from '../lab/site.ts'
import { startBenchServer } from './bench-server.ts'
import { debuggingPort } from './debugging-port.ts'
import { ratioAtMost, type BenchGroup, type BenchOptions, type Figure } from './group.ts'
import { startPlaywrightServer, visitLaunched, visitLaunchedServer, type Visit } from './playwright-baselines.ts'
import { interleave, median, quantile, timed, type Probe } from './samples.ts'

/** Milliseconds between the start of a browser and its first client. */
const settleMs = 1000

const aims: Readonly<Record<BrowserKind, number>> = { shell: 0.4, chromium: 0.25 }

/** A session from creation to deletion, compared with plain Playwright and the same browser. */
export const group: BenchGroup = {
  name: 'cycle',
  about: 'withSession (create, connect, goto, delete); baseline: Playwright with the same binary',
  run: async (options) => [...(await measure('chromium', options)), ...(await measure('shell', options))],
}

interface Fixture {
  readonly kind: BrowserKind
  readonly url: string
  readonly ours: Visit
  /** A bare connection with a page of its own, as scripts for other services have it. */
  readonly bare: Visit
  /** The same with a browser that already runs on this machine, without any server. */
  readonly running: Probe
  readonly untilWarm: () => Promise<void>
  readonly launch: Visit
  readonly launchServer: Visit
  readonly runServer: Visit
}

async function measure(kind: BrowserKind, options: BenchOptions): Promise<readonly Figure[]> {
  const { path } = await findBrowser(kind, browserSearchEnvironment())
  await using site = await startSite()
  await using browsers = await openBrowserFixture(kind)
  await using server = await startBenchServer({ browser: kind, warm: 2 })
  await using runServer = await startPlaywrightServer(path)
  await using bowline = new Bowline({
    baseUrl: server.url,
    apiKey: server.apiKey,
    sessionDir: join(tmpdir(), 'bowline-bench-sessions'),
  })
  const fixture: Fixture = {
    kind,
    url: site.url('/'),
    ours: async (url) => void (await bowline.withSession({ driver: playwright }, async ({ page }) => page.goto(url))),
    bare: async (url) => {
      await using session = await bowline.sessions.create()
      await visitOverCdp(session.cdpUrl, url)
    },
    running: async () => {
      await using browser = await launchBrowser(browsers, { extraArgs: ['--remote-debugging-port=0'] })
      const { port, path: endpoint } = await debuggingPort(browser)
      // Browsers of the pool have finished their start before a client connects.
      await sleep(settleMs)
      return await timed(async () => visitOverCdp(`ws://127.0.0.1:${port}${endpoint}`, site.url('/')))
    },
    untilWarm: server.untilWarm,
    launch: visitLaunched(path),
    launchServer: visitLaunchedServer(path),
    runServer: runServer.visit,
  }
  options.progress(`  ${kind}: one at a time`)
  const alone = await measureAlone(fixture, options)
  options.progress(`  ${kind}: without a pause`)
  return [...alone, ...(await measureBursts(fixture, options))]
}

async function visitOverCdp(cdpUrl: string, url: string): Promise<void> {
  const browser = await chromium.connectOverCDP(cdpUrl)
  await (await browser.newPage()).goto(url)
  await browser.close()
}

/** Latency of single visits on an idle machine with a warm pool. */
async function measureAlone(fixture: Fixture, options: BenchOptions): Promise<readonly Figure[]> {
  const { kind, url, ours, untilWarm } = fixture
  const probe = (visit: Visit) => async (): Promise<number> => {
    await untilWarm()
    return timed(async () => visit(url))
  }
  const samples = await interleave(
    {
      ours: probe(ours),
      bare: probe(fixture.bare),
      running: fixture.running,
      launch: probe(fixture.launch),
      launchServer: probe(fixture.launchServer),
      runServer: probe(fixture.runServer),
    },
    options.rounds ?? (options.isQuick ? 5 : 30),
  )
  const aim = ratioAtMost(aims[kind])
  const against = (name: string, baseline: readonly number[]): Figure => ({
    name: `${kind}, baseline ${name}, median`,
    unit: 'ms',
    ours: median(samples.ours),
    baseline: median(baseline),
    aim,
  })
  return [
    against('chromium.launch', samples.launch),
    {
      name: `${kind}, baseline chromium.launch, p90`,
      unit: 'ms',
      ours: quantile(samples.ours, 0.9),
      baseline: quantile(samples.launch, 0.9),
    },
    {
      ...against('chromium.launch', samples.launch),
      name: `${kind}, connectOverCDP + newPage, baseline chromium.launch, median`,
      ours: median(samples.bare),
    },
    {
      name: `${kind}, connectOverCDP + newPage of a running browser, baseline chromium.launch, median`,
      unit: 'ms',
      ours: median(samples.running),
      baseline: median(samples.launch),
    },
    against('launchServer + connect', samples.launchServer),
    against('run-server + connect', samples.runServer),
  ]
}

/** Throughput of visits in sequence and ten at once, which is limited by browser starts. */
async function measureBursts(fixture: Fixture, options: BenchOptions): Promise<readonly Figure[]> {
  const { kind, url, untilWarm } = fixture
  const count = options.isQuick ? 10 : 50
  const inARow = async (visit: Visit): Promise<readonly number[]> => {
    const samples: number[] = []
    for (let index = 0; index < count; index += 1) samples.push(await timed(async () => visit(url)))
    return samples
  }
  const atOnce = async (visit: Visit): Promise<readonly number[]> =>
    Promise.all(Array.from({ length: 10 }, async () => timed(async () => visit(url))))
  await untilWarm()
  const [ourRow, launchRow] = [await inARow(fixture.ours), await inARow(fixture.launch)]
  const ourCrowd: number[] = []
  const launchCrowd: number[] = []
  for (let round = 0; round < (options.isQuick ? 1 : 3); round += 1) {
    await untilWarm()
    ourCrowd.push(...(await atOnce(fixture.ours)))
    await untilWarm()
    launchCrowd.push(...(await atOnce(fixture.launch)))
  }
  const figure = (name: string, share: number, ours: readonly number[], baseline: readonly number[]): Figure => ({
    name: `${kind}, ${name}`,
    unit: 'ms',
    ours: quantile(ours, share),
    baseline: quantile(baseline, share),
    aim: ratioAtMost(1),
  })
  return [
    figure(`${count} in sequence, median`, 0.5, ourRow, launchRow),
    figure(`${count} in sequence, p95`, 0.95, ourRow, launchRow),
    figure('10 at once, median', 0.5, ourCrowd, launchCrowd),
    figure('10 at once, p95', 0.95, ourCrowd, launchCrowd),
  ]
}
