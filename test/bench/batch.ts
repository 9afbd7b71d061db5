import { setInterval as every } from 'node:timers/promises'
import { startSite } from '../lab/site.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { atMost, ratioAtMost, type BenchGroup } from './group.ts'
import { memoryOf } from './process-memory.ts'
import { watchMemory } from './watch-memory.ts'

const warmUpPages = 200
const single = 8

/** Time per page and memory of a large batch, compared with single scrapes. */
export const group: BenchGroup = {
  name: 'batch',
  about: `a batch of local pages; baseline: single scrapes of the same pages, ${single} at a time`,
  run: async ({ isQuick, progress }) => {
    const pages = isQuick ? 1000 : 100_000
    const body = `<h1>A page</h1>${'<p>Some words that are there to be read, and a <a href="/next">link</a>.</p>'.repeat(30)}`
    await using site = await startSite({
      '/page': ({ response }) => void response.setHeader('content-type', 'text/html').end(body),
    })
    await using server = await startBenchServer({ browser: 'shell', warm: 0 })
    const urlOf = (kind: string) => (index: number) => site.url(`/page?${kind}=${index}`)
    await runBatch(server, listOf(warmUpPages, urlOf('warm')))
    progress('  single scrapes')
    const baseline = await scrapeEach(server, listOf(Math.min(1000, pages), urlOf('single')))
    progress(`  batch of ${pages}`)
    const before = memoryOf([server.pid]).rss
    const watched = watchMemory(server.pid)
    const batch = await runBatch(server, listOf(pages, urlOf('batch')))
    const peak = await watched.stop()
    return [
      { name: 'submitting the list', unit: 'ms for 1000 pages', ours: (batch.enteredMs / pages) * 1000 },
      { name: 'time per page', unit: 'ms', ours: batch.totalMs / pages, baseline, aim: ratioAtMost(1.25) },
      { name: 'overhead per page', unit: 'ms', ours: batch.totalMs / pages - baseline, aim: atMost(2) },
      { name: 'increase of peak RSS', unit: 'MB', ours: peak - before, aim: atMost(100) },
    ]
  },
}

function listOf(count: number, make: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

async function runBatch(
  server: BenchServer,
  urls: readonly string[],
): Promise<{ readonly enteredMs: number; readonly totalMs: number }> {
  const startMs = performance.now()
  const { status, body } = await server.api('POST', '/v2/batch/scrape', { urls, maxAge: 0 })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  const enteredMs = performance.now() - startMs
  for await (const _ of every(200)) {
    const answer = await server.api('GET', `/v2/batch/scrape/${body['id']}?limit=1`)
    if (answer.body['status'] === 'scraping') continue
    if (answer.body['completed'] !== urls.length) throw new Error(JSON.stringify({ ...answer.body, data: [] }))
    break
  }
  return { enteredMs, totalMs: performance.now() - startMs }
}

/** Milliseconds per page. */
async function scrapeEach(server: BenchServer, urls: readonly string[]): Promise<number> {
  const queue = [...urls]
  const startMs = performance.now()
  const work = async (): Promise<void> => {
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
      const { status } = await server.api('POST', '/v2/scrape', { url, maxAge: 0 })
      if (status !== 200) throw new Error(String(status))
    }
  }
  await Promise.all(Array.from({ length: single }, work))
  return (performance.now() - startMs) / urls.length
}
