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
import { interleave, median, timed, type Probe } from './samples.ts'
import { startCrawlee, type Crawlee } from './scrape/crawlee.ts'
import { samplePage, scriptedPage } from './scrape/sample-site.ts'
import { scrapeInBatch } from './scrape/scrape-in-batch.ts'

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
    const fetchedPages = { site, path: '/page', count: counts.fetched, rounds }
    const fetched = await race(fetchedPages, {
      single: singleScrapes(server, fetchedAtOnce),
      batch: batchOfAll(server, fetchedAtOnce),
      crawlee: crawl(cheerio),
    })
    const indexed = await race(fetchedPages, {
      single: singleScrapes(indexing, fetchedAtOnce),
      crawlee: crawl(cheerio),
    })
    progress('  rendered')
    const rendered = await race(
      { site, path: '/app', count: counts.rendered, rounds },
      { single: singleScrapes(server, renderedAtOnce), crawlee: crawl(playwright) },
    )
    progress('  HTML to Markdown only')
    return [
      toFigure('HTTP to Markdown, CheerioCrawler + turndown', speeds(fetched.single, fetched.crawlee), ratioAtLeast(2)),
      toCpuFigure('CPU time per page', fetched.single, fetched.crawlee),
      toFigure('HTTP to Markdown, one batch of all pages', speeds(fetched.batch, fetched.crawlee)),
      toCpuFigure('CPU time per page of a batch', fetched.batch, fetched.crawlee),
      toFigure('HTTP to Markdown, with indexing for search', speeds(indexed.single, indexed.crawlee)),
      toFigure(
        'rendered to Markdown, PlaywrightCrawler + turndown',
        speeds(rendered.single, rendered.crawlee),
        ratioAtLeast(1.3),
      ),
      toFigure('HTML to Markdown only, turndown', await convert(rounds)),
      await compareParsing(rounds),
    ]
  },
}

interface Race {
  readonly site: Site
  readonly path: string
  /** Number of pages per round. */
  readonly count: number
  readonly rounds: number
}

/** A way to turn pages into Markdown. */
interface Runner {
  /** The process whose CPU time is measured, with its children. */
  readonly pid: number
  /** Returns the milliseconds for all pages. */
  readonly run: (urls: readonly string[]) => Promise<number>
}

interface RaceResult {
  readonly pagesPerSecond: number
  /** CPU milliseconds per page, which a busy machine distorts less. */
  readonly cpuMs: number
}

interface Speeds {
  readonly ours: number
  readonly theirs: number
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

function toCpuFigure(name: string, ours: RaceResult, theirs: RaceResult): Figure {
  return { name, unit: 'ms/page', ours: ours.cpuMs, baseline: theirs.cpuMs }
}

function speeds(ours: RaceResult, theirs: RaceResult): Speeds {
  return { ours: ours.pagesPerSecond, theirs: theirs.pagesPerSecond }
}

/** Options of all scrapes. */
const scrapeOptions = { maxAge: 0, onlyMainContent: false }

function singleScrapes(server: BenchServer, atOnce: number): Runner {
  return { pid: server.pid, run: async (urls) => timed(async () => scrapeAll(server, urls, atOnce)) }
}

function batchOfAll(server: BenchServer, atOnce: number): Runner {
  const run = async (urls: readonly string[]): Promise<void> => {
    const markdown = await scrapeInBatch(server, urls, { ...scrapeOptions, maxConcurrency: atOnce })
    if (markdown.some(({ length }) => length < 1000)) throw new Error('A page of the batch has no content')
  }
  return { pid: server.pid, run: async (urls) => timed(async () => run(urls)) }
}

function crawl(crawlee: Crawlee): Runner {
  return { pid: crawlee.pid, run: crawlee.crawl }
}

/** Measures each way on the same number of new pages per round. */
async function race<Name extends string>(
  { site, path, count, rounds }: Race,
  runners: Readonly<Record<Name, Runner>>,
): Promise<Readonly<Record<Name, RaceResult>>> {
  const names = Object.keys(runners) as Name[]
  let run = 0
  const used = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  const probe = (name: Name) => async (): Promise<number> => {
    const { pid, run: runAll } = runners[name]
    run += 1
    const urls = Array.from({ length: count }, (_, index) => site.url(`${path}?${run}-${index}`))
    const before = processorMsOfTree(pid)
    const ms = await runAll(urls)
    used[name].push((processorMsOfTree(pid) - before) / count)
    return ms
  }
  const probes = Object.fromEntries(names.map((name) => [name, probe(name)])) as Record<Name, Probe>
  const samples = await interleave(probes, rounds)
  const results = names.map((name): readonly [Name, RaceResult] => [
    name,
    // The first round only warms up.
    { pagesPerSecond: (count * 1000) / median(samples[name]), cpuMs: median(used[name].slice(1)) },
  ])
  return Object.fromEntries(results) as Record<Name, RaceResult>
}

async function scrapeAll(server: BenchServer, urls: readonly string[], atOnce: number): Promise<void> {
  const queue = [...urls]
  const work = async (): Promise<void> => {
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
      const { status, body } = await server.api('POST', '/v2/scrape', { ...scrapeOptions, url })
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
