import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSite } from '../lab/site.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { atMost, type BenchGroup } from './group.ts'
import { memoryOf } from './process-memory.ts'
import { withHtmlProcesses } from './process-tree.ts'

const atOnce = 4

/** Pages designed to use much memory, each of 1.5 to 2.5 MB. */
const pages: Readonly<Record<string, () => string>> = {
  '/paragraphs': () => '<p>more text here</p>'.repeat(100_000),
  '/text': () => `<p>${'one text without an end '.repeat(100_000)}</p>`,
  '/links': () =>
    Array.from({ length: 40_000 }, (_, index) => `<a href="/page/${index}">Page number ${index}</a> `).join(''),
  '/nested': () => `<p>start</p>${'<div>'.repeat(300_000)}deep`,
  '/attributes': () => Array.from({ length: 6000 }, (_, index) => `<p ${attributes(index)}>text</p>`).join(''),
  '/table': () => `<table>${'<tr><td>one cell</td><td>another cell</td></tr>'.repeat(40_000)}</table>`,
}

function attributes(index: number): string {
  return Array.from({ length: 20 }, (_, each) => `data-${index % 1000}-${each}="v"`).join(' ')
}

/** Memory that a server retains after it has read large pages. */
export const group: BenchGroup = {
  name: 'hostile',
  about:
    'PSS of `bowline serve` with its processes for HTML before, during and 30 s after 29 pages (12 with --quick) of 1.5 to 2.5 MB that use much memory, 4 at once',
  run: async ({ isQuick, rounds = 1, progress }) => {
    await using site = await startSite(
      Object.fromEntries(
        Object.entries(pages).map(([path, html]) => [
          path,
          ({ response }) => void response.setHeader('content-type', 'text/html').end(html()),
        ]),
      ),
    )
    await using server = await startBenchServer({ browser: 'shell', warm: 0, flags: ['--log-level', 'error'] })
    await scrape(server, site.url('/'))
    const start = memoryOf(withHtmlProcesses(server.pid)).pss
    const afters: number[] = []
    // Resets VmHWM, the peak of the resident memory.
    writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
    for (let round = 0; round < rounds; round += 1) {
      const paths = Array.from({ length: isQuick ? 12 : 29 }, (_, index) => Object.keys(pages)[index % 6]!)
      await scrapeAll(
        server,
        paths.map((path, index) => site.url(`${path}?${round}-${index}`)),
      )
      // Idle processes with large heaps end after 5 s.
      await sleep(30_000)
      afters.push(memoryOf(withHtmlProcesses(server.pid)).pss)
      progress(`  round ${round + 1}: ${afters.at(-1)!.toFixed(0)} MB afterwards, ${start.toFixed(0)} MB before`)
    }
    const peak = peakOf(server.pid)
    return [
      { name: 'PSS before', unit: 'MB', ours: start },
      { name: 'peak RSS of the server', unit: 'MB', ours: peak },
      { name: 'PSS afterwards', unit: 'MB', ours: afters.at(-1)! },
      { name: 'retained', unit: 'MB', ours: afters.at(-1)! - start, aim: atMost(150) },
    ]
  },
}

async function scrapeAll(server: BenchServer, urls: readonly string[]): Promise<void> {
  const queue = [...urls]
  const work = async (): Promise<void> => {
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) await scrape(server, url)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

function peakOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** The page may be refused as too large. The retained memory is measured either way. */
async function scrape(server: BenchServer, url: string): Promise<void> {
  const { status } = await server.api('POST', '/v2/scrape', { url, onlyMainContent: false, timeout: 60_000 })
  if (![200, 408, 422, 500, 502].includes(status)) throw new Error(`${url}: ${status}`)
}
