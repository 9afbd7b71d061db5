import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserKind } from '../../server/src/browsers/browser-locations.ts'
import { launchBrowser, type Browser } from '../../server/src/browsers/launch.ts'
import { connectCdp, type CdpSocket } from '../lab/cdp-socket.ts'
import { openBrowserFixture } from '../../server/test/browsers/browser-fixture.ts'
import { startBenchServer } from './bench-server.ts'
import { ratioAtLeast, ratioAtMost, type BenchGroup, type BenchOptions, type Figure } from './group.ts'
import { interleave, median, quantile, timed } from './samples.ts'

/** Overhead of the gateway between a client and its browser. */
export const group: BenchGroup = {
  name: 'gateway',
  about: 'CDP through the gateway; baseline: the same browser with the same flags on a debugging port',
  run: async (options) => [...(await measure('shell', options)), ...(await measure('chromium', options))],
}

const resultMegabytes = 50
const callsAtATime = 100

async function measure(kind: BrowserKind, { isQuick, rounds }: BenchOptions): Promise<readonly Figure[]> {
  await using server = await startBenchServer({ browser: kind, warm: 1 })
  await using browserFixture = await openBrowserFixture(kind)
  // The flags of a session, and a port in addition to the pipe.
  await using browser = await launchBrowser(browserFixture, { extraArgs: ['--remote-debugging-port=0'] })
  await using direct = await openCaller(await portAddress(browser))
  await using ours = await openCaller((await server.create()).cdpUrl)
  const count = rounds ?? (isQuick ? 10 : 60)
  const trips = { ours: [] as number[], direct: [] as number[] }
  const collect = (side: keyof typeof trips, caller: Caller) => async (): Promise<number> => {
    const samples = await caller.roundTrips(callsAtATime)
    trips[side].push(...samples)
    return median(samples)
  }
  await interleave({ ours: collect('ours', ours), direct: collect('direct', direct) }, count)
  const large = await interleave({ ours: ours.largeResult, direct: direct.largeResult }, Math.ceil(count / 4))
  const trip = (share: number): Pick<Figure, 'name' | 'unit' | 'ours' | 'baseline'> => ({
    name: `${kind}: round trip, p${share * 100}`,
    unit: 'ms',
    ours: quantile(trips.ours, share),
    baseline: quantile(trips.direct, share),
  })
  return [
    { ...trip(0.5), aim: ratioAtMost(1.2) },
    trip(0.9),
    { ...trip(0.99), aim: ratioAtMost(1.2) },
    {
      name: `${kind}: ${resultMegabytes} MB result`,
      unit: 'MB/s',
      ours: resultMegabytes / (median(large.ours) / 1000),
      baseline: resultMegabytes / (median(large.direct) / 1000),
      aim: ratioAtLeast(0.95),
    },
  ]
}

async function portAddress(browser: Browser): Promise<string> {
  for (;;) {
    const text = await readFile(join(browser.folder.userDataDir, 'DevToolsActivePort'), 'utf8').catch(() => '')
    const [port, path] = text.split('\n')
    if (path !== undefined && path !== '') return `ws://127.0.0.1:${port}${path}`
    await sleep(20)
  }
}

interface Caller extends AsyncDisposable {
  /** Milliseconds of each of `count` calls, one after another. */
  readonly roundTrips: (count: number) => Promise<readonly number[]>
  /**
   * Milliseconds until a large result has arrived. Parsing is excluded, since it takes both sides
   * the same time.
   */
  readonly largeResult: () => Promise<number>
}

async function openCaller(address: string): Promise<Caller> {
  const cdp = await connectCdp(address)
  const session = await cdp.attachToPage()
  // From here on only one response at a time is expected. It is not parsed.
  cdp.socket.removeAllListeners('message')
  const ask = (expression: string): Promise<unknown> => answer(cdp, session, expression)
  return {
    roundTrips: async (count) => {
      const samples: number[] = []
      for (let index = 0; index < count; index += 1) samples.push(await timed(async () => ask('1')))
      return samples
    },
    largeResult: async () => timed(async () => ask(`"0123456789".repeat(${resultMegabytes * 1e5})`)),
    [Symbol.asyncDispose]: async () => cdp[Symbol.asyncDispose](),
  }
}

async function answer(cdp: CdpSocket, sessionId: string, expression: string): Promise<unknown> {
  const answered = once(cdp.socket, 'message')
  cdp.socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression }, sessionId }))
  return answered
}
