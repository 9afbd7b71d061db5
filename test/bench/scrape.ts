import TurndownService from 'turndown'
import { findBrowser } from '../../server/src/browsers/find.ts'
import { browserSearchEnvironment } from '../../server/src/config.ts'
import { cleanPage } from '../../server/src/scrape/clean/clean-page.ts'
import { treeToMarkdown } from '../../server/src/scrape/format/markdown/to-markdown.ts'
import { processHtml } from '../../server/src/scrape/format/process-html.ts'
import { parsePage } from '../../server/src/scrape/parse/parsed-page.ts'
import { startSite, type Site } from '../lab/site.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { ratioAtLeast, type Aim, type BenchGroup, type Figure } from './group.ts'
import { processorMsOfTree } from './process-time.ts'
import { interleave, median, timed } from './samples.ts'
import { startCrawlee, type Crawlee } from './scrape/crawlee.ts'
import { samplePage, scriptedPage } from './scrape/sample-site.ts'

/** Concurrency of both sides. */
const fetchedAtOnce = 16
const renderedAtOnce = 4

/** Pages to Markdown by HTTP and in browsers, compared with Crawlee and Turndown. */
export const group: BenchGroup = {
  name: 'scrape',
  about: `POST /v2/scrape of a local site's pages; baseline: Crawlee and Turndown with the same concurrency; neither side has a search index`,
  run: async ({ isQuick, rounds = isQuick ? 2 : 5, progress }) => {
    const counts = isQuick ? { fetched: 80, rendered: 16 } : { fetched: 300, rendered: 48 }
    await using site = await startSite({
      '/page': ({ response, url }) => void response.setHeader('content-type', 'text/html').end(samplePage(url.search)),
      '/app': ({ response, url }) => void response.setHeader('content-type', 'text/html').end(scriptedPage(url.search)),
    })
    const { path: shell } = await findBrowser('shell', browserSearchEnvironment())
    await using server = await startBenchServer({ browser: 'shell', warm: 0, flags: ['--search-pages', '0'] })
    await using indexing = await startBenchServer({ browser: 'shell', warm: 0 })
    await using cheerio = await startCrawlee('cheerio', fetchedAtOnce)
    await using playwright = await startCrawlee('playwright', renderedAtOnce, shell)
    progress('  fetched')
    const fetched = await race(server, cheerio, site, {
      path: '/page',
      count: counts.fetched,
      rounds,
      atOnce: fetchedAtOnce,
    })
    const indexed = await race(indexing, cheerio, site, {
      path: '/page',
      count: counts.fetched,
      rounds,
      atOnce: fetchedAtOnce,
    })
    progress('  rendered')
    const rendered = await race(server, playwright, site, {
      path: '/app',
      count: counts.rendered,
      rounds,
      atOnce: renderedAtOnce,
    })
    progress('  HTML to Markdown only')
    return [
      toFigure('HTTP to Markdown, CheerioCrawler + turndown', fetched, ratioAtLeast(2)),
      {
        name: 'CPU time per page',
        unit: 'ms/page',
        ours: fetched.processor.ours,
        baseline: fetched.processor.theirs,
      },
      toFigure('HTTP to Markdown, with indexing for search', indexed),
      toFigure('rendered to Markdown, PlaywrightCrawler + turndown', rendered, ratioAtLeast(1.3)),
      toFigure('HTML to Markdown only, turndown', await convert(rounds)),
      await compareParsing(rounds),
    ]
  },
}

interface Race {
  readonly path: string
  readonly count: number
  readonly rounds: number
  readonly atOnce: number
}

interface Speeds {
  readonly ours: number
  readonly theirs: number
}

/** Pages per second, and CPU milliseconds per page, which a busy machine distorts less. */
interface RaceResult extends Speeds {
  readonly processor: Speeds
}

function toFigure(name: string, { ours, theirs }: Speeds, aim?: Aim): Figure {
  return {
    name,
    unit: 'pages/s',
    ours,
    baseline: theirs,
    ...(aim === undefined ? {} : { aim }),
  }
}

async function race(
  server: BenchServer,
  crawlee: Crawlee,
  site: Site,
  { path, count, rounds, atOnce }: Race,
): Promise<RaceResult> {
  let run = 0
  const urls = (): readonly string[] => {
    run += 1
    return Array.from({ length: count }, (_, index) => site.url(`${path}?${run}-${index}`))
  }
  const used = { ours: [] as number[], theirs: [] as number[] }
  const watched = async (side: keyof typeof used, pid: number, work: () => Promise<number>): Promise<number> => {
    const before = processorMsOfTree(pid)
    const ms = await work()
    used[side].push((processorMsOfTree(pid) - before) / count)
    return ms
  }
  const scrapeThem = async (): Promise<number> => {
    const all = urls()
    return timed(async () => scrapeAll(server, all, atOnce))
  }
  const samples = await interleave(
    {
      ours: async () => watched('ours', server.pid, scrapeThem),
      theirs: async () => watched('theirs', crawlee.pid, async () => crawlee.crawl(urls())),
    },
    rounds,
  )
  return {
    ours: (count * 1000) / median(samples.ours),
    theirs: (count * 1000) / median(samples.theirs),
    // The first round only warms up.
    processor: { ours: median(used.ours.slice(1)), theirs: median(used.theirs.slice(1)) },
  }
}

async function scrapeAll(server: BenchServer, urls: readonly string[], atOnce: number): Promise<void> {
  const queue = [...urls]
  const work = async (): Promise<void> => {
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
      const { status, body } = await server.api('POST', '/v2/scrape', { url, maxAge: 0, onlyMainContent: false })
      if (status !== 200 || body['data']?.markdown?.length < 1000) throw new Error(JSON.stringify(body).slice(0, 300))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** Four formats of a page whose HTML is parsed once, compared with parsing it for each of them. */
async function compareParsing(rounds: number): Promise<Figure> {
  const pages = Array.from({ length: 30 }, (_, index) => samplePage(`parse-${index}`))
  const formats = ['markdown', 'html', 'links', 'images'] as const
  const make = (html: string): void => void processHtml({ html, url: 'https://example.com/', formats, options: {} })
  const parseAgain = (html: string): void => formats.slice(1).forEach(() => parsePage(html, 'https://example.com/'))
  const samples = await interleave(
    {
      once: async () => processorMs(() => pages.forEach(make)),
      each: async () =>
        processorMs(() => {
          pages.forEach(make)
          pages.forEach(parseAgain)
        }),
    },
    rounds,
  )
  return {
    name: 'four formats of a page, its HTML parsed once; baseline: for each',
    unit: 'ms/page',
    ours: median(samples.once) / pages.length,
    baseline: median(samples.each) / pages.length,
  }
}

async function convert(rounds: number): Promise<Speeds> {
  const pages = Array.from({ length: 30 }, (_, index) => samplePage(`convert-${index}`))
  const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })
  turndown.remove(['script', 'style'])
  const ours = (html: string): string => {
    const page = parsePage(html, '')
    cleanPage(page, { onlyMainContent: false })
    return treeToMarkdown(page)
  }
  const samples = await interleave(
    {
      ours: async () => processorMs(() => pages.forEach(ours)),
      theirs: async () => processorMs(() => pages.forEach((html) => turndown.turndown(html))),
    },
    rounds,
  )
  return { ours: 30_000 / median(samples.ours), theirs: 30_000 / median(samples.theirs) }
}

/** Milliseconds of processor time. */
function processorMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  return process.cpuUsage(before).user / 1000
}
