import { readdirSync, readlinkSync } from 'node:fs'
import { connectCdp } from '../lab/cdp-socket.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { atMost, type BenchGroup, type Figure } from './group.ts'
import { memoryOf } from './process-memory.ts'

/** Memory and disk usage of a server after some sessions. */
interface Point {
  readonly sessions: number
  readonly rssMegabytes: number
  readonly heapMegabytes: number
  readonly fileDescriptors: number
  /** Those of the embedded database: its tables, indexes and log. */
  readonly databaseFiles: number
}

const atOnce = 4

/** A slow machine measures fewer sessions, unless `--rounds` sets a number. */
const limitMs = 12 * 60_000

/** Memory and disk usage per ended session, after warm-up. */
export const group: BenchGroup = {
  name: 'growth',
  about: 'RSS, heap and file descriptors of `bowline serve` over 2,000 short sessions after 300 to warm up, as slopes',
  run: async ({ isQuick, rounds, progress }) => {
    await using server = await startBenchServer({ browser: 'shell', warm: 2, flags: ['--log-level', 'error'] })
    const startedMs = performance.now()
    const warmUp = isQuick ? 100 : 300
    const wanted = (rounds ?? (isQuick ? 4 : 20)) * 100
    const endMs = rounds === undefined ? startedMs + limitMs : Infinity
    await visitMany(server, warmUp)
    const points = [await measure(server, 0)]
    while (points.at(-1)!.sessions < wanted && performance.now() < endMs) {
      await visitMany(server, 100)
      const point = await measure(server, points.at(-1)!.sessions + 100)
      progress(`  ${JSON.stringify(point)}`)
      points.push(point)
    }
    const last = points.at(-1)!
    const per1000 = (value: (point: Point) => number): number =>
      1000 * slope(points.map((point) => [point.sessions, value(point)]))
    const figures: readonly Figure[] = [
      { name: 'sessions measured', unit: '', ours: last.sessions },
      { name: 'RSS per 1,000 sessions', unit: 'MB', ours: per1000((point) => point.rssMegabytes), aim: atMost(10) },
      { name: 'heap per 1,000 sessions', unit: 'MB', ours: per1000((point) => point.heapMegabytes), aim: atMost(5) },
      {
        name: 'file descriptors per 1,000 sessions',
        unit: '',
        ours: per1000((point) => point.fileDescriptors),
        aim: atMost(10),
      },
      { name: 'RSS at the end', unit: 'MB', ours: last.rssMegabytes },
      { name: 'file descriptors at the end', unit: '', ours: last.fileDescriptors },
      { name: 'of which files of the database', unit: '', ours: last.databaseFiles },
    ]
    return figures
  },
}

async function visitMany(server: BenchServer, count: number): Promise<void> {
  let left = count
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await visit(server)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

async function visit(server: BenchServer): Promise<void> {
  const { id, cdpUrl } = await server.create({ ttl: 60 })
  const cdp = await connectCdp(cdpUrl)
  const page = await cdp.attachToPage()
  await cdp.call('Runtime.evaluate', { expression: '1 + 1' }, page)
  await server.api('DELETE', `/v2/browser/${id}`)
  await cdp.closed
}

async function measure(server: BenchServer, sessions: number): Promise<Point> {
  await server.untilWarm()
  const links = readdirSync(`/proc/${server.pid}/fd`).map((name) => targetOf(`/proc/${server.pid}/fd/${name}`))
  return {
    sessions,
    rssMegabytes: Math.round(memoryOf([server.pid]).rss),
    heapMegabytes: Math.round((await heapBytes(server)) / 1e5) / 10,
    fileDescriptors: links.length,
    databaseFiles: links.filter((link) => link.startsWith(`${server.dataDir}/pg/`)).length,
  }
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

async function heapBytes({ url, apiKey }: BenchServer): Promise<number> {
  const answer = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${apiKey}` } })
  return Number(/^nodejs_heap_size_used_bytes(?:\{.*\})? (\S+)$/m.exec(await answer.text())?.[1])
}

/** The slope of the least-squares line. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map(([left]) => left)), mean(points.map(([, right]) => right))]
  const covariance = mean(points.map(([left, right]) => (left - x) * (right - y)))
  return covariance / mean(points.map(([left]) => (left - x) ** 2))
}
