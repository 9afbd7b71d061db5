import { gzipSync } from 'node:zlib'
import { startSite, type Site } from '../lab/site.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { atMost, type BenchGroup, type Figure } from './group.ts'
import { memoryOf } from './process-memory.ts'
import { median, timed } from './samples.ts'
import { watchMemory } from './watch-memory.ts'

const pages = 50_000

/** Time and memory to map a large sitemap. */
export const group: BenchGroup = {
  name: 'map',
  about: `POST /v2/map of ${pages} pages; baseline: fetching the sitemap and finding its URLs with a regular expression`,
  run: async ({ isQuick, rounds = isQuick ? 2 : 5, progress }) => {
    const bodies = { plain: sitemapOf(0), rich: sitemapOf(7) }
    await using site = await startSite({
      '/plain.xml': ({ response, url }) => {
        response.end(placed(bodies.plain, url))
      },
      '/rich.xml': ({ response, url }) => {
        response.end(placed(bodies.rich, url))
      },
      '/packed.xml': ({ response, url }) => {
        response.end(gzipSync(placed(bodies.plain, url)))
      },
    })
    await using server = await startBenchServer({ browser: 'shell', warm: 0 })
    const figures: Figure[] = []
    for (const kind of ['plain', 'packed', 'rich'] as const) {
      progress(`  ${kind}`)
      figures.push(...(await measure(server, site, kind, rounds)))
    }
    const search = await medianOf(rounds, async () =>
      map(server, site.url('/plain.xml'), { search: 'red shoes 777', limit: 5000 }),
    )
    return [...figures, { name: `plain, with search and a limit of 5000`, unit: 'ms', ours: search }]
  },
}

async function measure(server: BenchServer, site: Site, kind: string, rounds: number): Promise<readonly Figure[]> {
  const url = site.url(`/${kind}.xml`)
  await map(server, url, {})
  const before = memoryOf([server.pid]).rss
  const watched = watchMemory(server.pid)
  const ours = await medianOf(rounds, async () => map(server, url, {}))
  const peak = await watched.stop()
  const baseline = kind === 'packed' ? undefined : await medianOf(rounds, async () => naive(url))
  const name = `${kind} sitemap of ${pages}`
  return [
    { name: `${name}, whole map`, unit: 'ms', ours, ...(baseline === undefined ? {} : { baseline }) },
    { name: `${name}, increase of peak RSS`, unit: 'MB', ours: peak - before, aim: atMost(100) },
  ]
}

async function medianOf(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const samples: number[] = []
  for (let round = 0; round < rounds; round += 1) samples.push(await timed(work))
  return median(samples)
}

async function map(
  server: BenchServer,
  url: string,
  options: { readonly search?: string; readonly limit?: number },
): Promise<void> {
  const wanted = { url, limit: 100_000, sitemap: 'only', filterByPath: false, ...options }
  const { status, body } = await server.api('POST', '/v2/map', wanted)
  if (status !== 200 || body['links'].length !== Math.min(pages, wanted.limit))
    throw new Error(`${status}, ${body['links']?.length} links`)
}

async function naive(url: string): Promise<void> {
  const text = await (await fetch(url)).text()
  const found = new Set(Array.from(text.matchAll(/<loc>([^<]*)<\/loc>/g), (match) => new URL(match[1] ?? '').href))
  if (found.size !== pages) throw new Error(`${found.size} URLs`)
}

const host = 'http://127.0.0.1:00000'

/** A sitemap like that of a shop, with alternates in this many languages. */
function sitemapOf(alternates: number): string {
  const urls = Array.from({ length: pages }, (_, index) => {
    const loc = `${host}/shop/category-${index % 97}/item-${index}-red-shoes`
    const links = Array.from(
      { length: alternates },
      (__, language) => `<xhtml:link rel="alternate" hreflang="l${language}" href="${loc}?l=${language}"/>`,
    )
    return `<url><loc>${loc}</loc><lastmod>2026-01-01</lastmod>${links.join('')}</url>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?><urlset>${urls.join('')}</urlset>`
}

function placed(sitemap: string, url: URL): string {
  return sitemap.replaceAll(host, url.origin)
}
