import type { BrowserKind } from '../../server/src/browsers/browser-locations.ts'
import { launchBrowser } from '../../server/src/browsers/launch.ts'
import { openBrowserFixture, openDataDir } from '../../server/test/browsers/browser-fixture.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { debuggingPort } from './debugging-port.ts'
import { openCaller, type CdpCaller, type Command } from './gateway/cdp-caller.ts'
import { startProgram } from './gateway/start-program.ts'
import { ratioAtLeast, ratioAtMost, type Aim, type BenchGroup, type BenchOptions, type Figure } from './group.ts'
import { interleave, median, quantile } from './samples.ts'

/**
 * Overhead of the gateway between a client and its browser. The splice stands for the best that a
 * proxy in Node.js can do, and the relay for the best with a browser's pipe, which no other process
 * of the machine can connect to.
 */
export const group: BenchGroup = {
  name: 'gateway',
  about:
    'CDP through the gateway; baseline: the same browser with the same flags on a debugging port, directly or through a plain splice of sockets in another process; relay: messages passed unread between a client and the pipe of a browser',
  run: async (options) => [...(await measure('shell', options)), ...(await measure('chromium', options))],
}

type Side = 'ours' | 'direct' | 'splice' | 'relay'
type Callers = Readonly<Record<Exclude<Side, 'relay'>, CdpCaller>>

const commands: readonly Command[] = ['Browser.getVersion', 'Runtime.evaluate']
const resultMegabytes = 50
const callsAtATime = 100
const busySessions = 8

async function measure(kind: BrowserKind, options: BenchOptions): Promise<readonly Figure[]> {
  await using server = await startBenchServer({ browser: kind, warm: 1 })
  await using browserFixture = await openBrowserFixture(kind)
  // The flags of a session, and a port in addition to the pipe.
  await using browser = await launchBrowser(browserFixture, { extraArgs: ['--remote-debugging-port=0'] })
  const { port, path } = await debuggingPort(browser)
  await using splice = await startProgram('splice-program.ts', String(port))
  await using direct = await openCaller(`ws://127.0.0.1:${port}${path}`)
  await using spliced = await openCaller(`ws://127.0.0.1:${splice.line}${path}`)
  await using profile = await openDataDir()
  await using relay = await startProgram('relay-program.ts', browserFixture.binary.path, profile.path)
  await using relayed = await openCaller(`ws://127.0.0.1:${relay.line}/`)
  await using ours = await openCaller((await server.create()).cdpUrl)
  const callers = { ours, direct, splice: spliced }
  const allCallers = { ...callers, relay: relayed }
  const count = options.rounds ?? (options.isQuick ? 10 : 60)
  const figures: Figure[] = []
  for (const command of commands) {
    for (const inFlight of [1, 50]) {
      options.progress(`  ${kind}: ${command}, ${inFlight} in flight`)
      figures.push(...compareSides(kind, command, inFlight, await collect(allCallers, command, inFlight, count)))
    }
  }
  options.progress(`  ${kind}: large results`)
  figures.push(await compareLargeResults(kind, callers, Math.ceil(count / 4)))
  figures.push(...(await compareWithLoad(kind, server, callers, count, options)))
  return figures
}

/** Milliseconds of all commands of each side, measured in turns. */
async function collect<Name extends Side>(
  callers: Readonly<Record<Name, CdpCaller>>,
  command: Command,
  inFlight: number,
  rounds: number,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(callers) as Name[]
  const trips = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  const probe = (name: Name) => async (): Promise<number> => {
    const samples = await callers[name].roundTrips(command, callsAtATime, inFlight)
    trips[name].push(...samples)
    return median(samples)
  }
  const probes = Object.fromEntries(names.map((name) => [name, probe(name)])) as Record<Name, () => Promise<number>>
  await interleave(probes, rounds)
  return trips
}

function compareSides(
  kind: BrowserKind,
  command: Command,
  inFlight: number,
  trips: Readonly<Record<Side, readonly number[]>>,
): readonly Figure[] {
  const name = `${kind}: ${command}${inFlight === 1 ? '' : `, ${inFlight} in flight`}`
  const against = (side: Exclude<Side, 'ours'>, share: number, aim?: Aim): Figure => ({
    name: `${name}, p${share * 100} against ${side}`,
    unit: 'ms',
    ours: quantile(trips.ours, share),
    baseline: quantile(trips[side], share),
    ...(aim === undefined ? {} : { aim }),
  })
  return [
    against('direct', 0.5, ratioAtMost(1.3)),
    against('splice', 0.5, ratioAtMost(1)),
    against('direct', 0.99, ratioAtMost(1.5)),
    against('splice', 0.99),
    against('relay', 0.5),
    against('relay', 0.99),
  ]
}

async function compareLargeResults(kind: BrowserKind, { ours, direct }: Callers, rounds: number): Promise<Figure> {
  const large = await interleave(
    { ours: async () => ours.largeResult(resultMegabytes), direct: async () => direct.largeResult(resultMegabytes) },
    rounds,
  )
  return {
    name: `${kind}: ${resultMegabytes} MB result`,
    unit: 'MB/s',
    ours: resultMegabytes / (median(large.ours) / 1000),
    baseline: resultMegabytes / (median(large.direct) / 1000),
    aim: ratioAtLeast(1),
  }
}

/** Round trips of one session while its server is idle and while it is busy. */
async function compareWithLoad(
  kind: BrowserKind,
  server: BenchServer,
  callers: Callers,
  rounds: number,
  options: BenchOptions,
): Promise<readonly Figure[]> {
  const trips = async (name: string) => {
    options.progress(`  ${kind}: ${name}`)
    return collect(callers, 'Runtime.evaluate', 1, rounds)
  }
  const idle = await trips('idle')
  const batch = await startBatch(server)
  const withBatch = await trips('during a batch')
  await batch.stop()
  const sessions = await Promise.all(Array.from({ length: busySessions }, async () => server.create()))
  const busy = await startProgram('busy-sessions-program.ts', ...sessions.map(({ cdpUrl }) => cdpUrl))
  const withSessions = await trips(`with ${busySessions} busy sessions`)
  await busy[Symbol.asyncDispose]()
  const against = (name: string, side: keyof Callers, loaded: typeof idle, share: number, aim?: Aim): Figure => ({
    name: `${kind}: ${side === 'ours' ? '' : `${side}, `}${name}, p${share * 100} against idle`,
    unit: 'ms',
    ours: quantile(loaded[side], share),
    baseline: quantile(idle[side], share),
    ...(aim === undefined ? {} : { aim }),
  })
  return [
    against('during a batch', 'ours', withBatch, 0.5, ratioAtMost(1.5)),
    against('during a batch', 'ours', withBatch, 0.99, ratioAtMost(3)),
    // Overhead that comes from the load of the machine alone, with one process fewer, and with a
    // process that does nothing else.
    against('during a batch', 'direct', withBatch, 0.5),
    against('during a batch', 'direct', withBatch, 0.99),
    against('during a batch', 'splice', withBatch, 0.5),
    against('during a batch', 'splice', withBatch, 0.99),
    against(`with ${busySessions} busy sessions`, 'ours', withSessions, 0.5),
    against(`with ${busySessions} busy sessions`, 'ours', withSessions, 0.99),
    against(`with ${busySessions} busy sessions`, 'direct', withSessions, 0.5),
    against(`with ${busySessions} busy sessions`, 'direct', withSessions, 0.99),
  ]
}

/** Starts a batch of local pages that outlasts the measurement. */
async function startBatch(server: BenchServer): Promise<{ readonly stop: () => Promise<void> }> {
  const site = await startProgram('site-program.ts')
  const urls = Array.from({ length: 10_000 }, (_, index) => `${site.line}?number=${index}`)
  const { status, body } = await server.api('POST', '/v2/batch/scrape', { urls, maxAge: 0 })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  const stop = async (): Promise<void> => {
    const { body: job } = await server.api('GET', `/v2/batch/scrape/${body['id']}?limit=1`)
    if (job['status'] !== 'scraping') throw new Error('The batch ended before the measurement')
    await server.api('DELETE', `/v2/batch/scrape/${body['id']}`)
    await site[Symbol.asyncDispose]()
  }
  return { stop }
}
