import { setTimeout as sleep } from 'node:timers/promises'
import { startSite } from '../lab/site.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { atMost, type BenchGroup } from './group.ts'

const paragraph = '<p>some words of a paragraph with a <a href="/page">link</a> in it, and ünïcödé</p>\n'

/** How long other requests wait while the server scrapes a page of the maximum size. */
export const group: BenchGroup = {
  name: 'blocking',
  about:
    'longest response time of `GET /livez`, requested every 5 ms, while a page of 20 MB is scraped in four formats',
  run: async ({ isQuick, rounds = isQuick ? 2 : 5, progress }) => {
    const page = Buffer.from(paragraph.repeat(240_000)).subarray(0, 19_999_000)
    await using site = await startSite({
      '/': ({ response }) => void response.setHeader('content-type', 'text/html; charset=utf-8').end(page),
    })
    await using server = await startBenchServer({ browser: 'shell', warm: 0, flags: ['--log-level', 'error'] })
    const waits: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      waits.push(await longestWait(server, scrape(server, site.url(`/?${round}`))))
      progress(`  round ${round + 1}: ${waits.at(-1)!.toFixed(0)} ms`)
    }
    // The first round includes compiling the code.
    const longest = Math.max(...waits.slice(1))
    return [
      { name: 'first page', unit: 'ms', ours: waits[0]! },
      { name: 'later pages', unit: 'ms', ours: longest, aim: atMost(150) },
    ]
  },
}

/** Reads the response without parsing it, which would block this process. */
async function scrape(server: BenchServer, url: string): Promise<void> {
  const formats = ['markdown', 'html', 'rawHtml', 'links']
  const response = await fetch(new URL('/v2/scrape', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, formats, onlyMainContent: false, timeout: 60_000 }),
  })
  for await (const _ of response.body ?? []) continue
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`)
}

async function longestWait(server: BenchServer, work: Promise<void>): Promise<number> {
  const end = new AbortController()
  const done = work.finally(() => end.abort())
  let longest = 0
  while (!end.signal.aborted) {
    const startedAt = performance.now()
    await server.api('GET', '/livez')
    longest = Math.max(longest, performance.now() - startedAt)
    await sleep(5)
  }
  await done
  return longest
}
