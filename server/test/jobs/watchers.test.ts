import { once } from 'node:events'
import { Firecrawl } from 'firecrawl'
import { chromium } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { repository } from '../../../test/lab/source-tree.ts'
import { linksTo } from '../map/fixture.ts'
import { makePages, startJobFixture, type JobFixture } from './fixture.ts'

interface End {
  readonly status: string
  readonly data: readonly { readonly metadata?: { readonly sourceURL?: string } }[]
  readonly error?: string
}

describe('watchers of jobs in the public client `firecrawl`, unmodified', () => {
  let fixture: JobFixture
  let client: Firecrawl
  let release: () => void
  beforeAll(async () => {
    const made = makePages()
    release = made.release
    fixture = await startJobFixture('PostgreSQL', {}, { ...made.pages, '/': linksTo('/page?n=0', '/held?crawl') })
    client = new Firecrawl({ apiKey: fixture.lab.server.apiKey, apiUrl: fixture.lab.server.url })
  })
  afterAll(async () => {
    release()
    await fixture[Symbol.asyncDispose]()
  })

  const sources = ({ data }: Pick<End, 'data'>) => data.map(({ metadata }) => metadata?.sourceURL ?? '').toSorted()

  /** Reads all frames of a job, and the reason of the close. */
  const framesOf = async (url: string) => {
    const socket = new WebSocket(url.replace('http', 'ws'), {
      headers: { authorization: `Bearer ${fixture.lab.server.apiKey}` },
    })
    const frames: { readonly type: string; readonly data: End['data'][number] }[] = []
    socket.on('message', (text: Buffer) => frames.push(JSON.parse(text.toString())))
    const [, reason] = (await once(socket, 'close')) as [number, Buffer]
    return { types: frames.map(({ type }) => type), data: frames.map(({ data }) => data), reason: reason.toString() }
  }

  /** Watches a job through v2 until it ends. Calls `act` once, on the second document. */
  const watch = async (id: string, kind: 'batch' | 'crawl', act?: () => void) => {
    const watcher = client.watcher(id, { kind, pollInterval: 600 })
    const documents: string[] = []
    const end = Promise.withResolvers<End>()
    watcher.on('document', ({ metadata }: End['data'][number]) => {
      if (documents.push(metadata?.sourceURL ?? '') === 2) act?.()
    })
    watcher.on('done', end.resolve)
    watcher.on('error', end.reject)
    await watcher.start()
    return { end: await end.promise, documents: documents.toSorted() }
  }

  test('v2 gets the documents of a cancelled batch and its status', async () => {
    const { site, urls } = fixture
    const { id } = await client.startBatchScrape([...urls(2), site.url('/held?batch')])

    const { end, documents } = await watch(id, 'batch', () => void client.cancelBatchScrape(id))

    expect(end.status).toBe('cancelled')
    expect(sources(end)).toEqual(urls(2))
    expect(documents).toEqual(urls(2))
  })

  test('v2 gets the documents of a cancelled crawl and its status', async () => {
    const { id } = await client.startCrawl(fixture.site.url('/'), { sitemap: 'skip' })

    const { end, documents } = await watch(id, 'crawl', () => void client.cancelCrawl(id))

    expect(end.status).toBe('cancelled')
    expect(sources(end)).toEqual(documents)
    expect(documents).toHaveLength(2)
  })

  test('v2 gets all documents of a job with several pages of documents, also without a watcher or a late one', async () => {
    const urls = fixture.urls(101)
    const { id, url } = await client.startBatchScrape([...urls])
    const early = await watch(id, 'batch')
    await fixture.ended(url)
    const late = await watch(id, 'batch')
    const frames = await framesOf(url)
    const read = await client.getBatchScrapeStatus(id)

    expect(sources(early.end)).toEqual(urls.toSorted())
    expect(sources(late.end)).toEqual(urls.toSorted())
    expect(sources(read as End)).toEqual(urls.toSorted())
    expect(new Set(frames.types)).toEqual(new Set(['document']))
    expect(sources(frames)).toEqual(urls.toSorted())
    expect(frames.reason).toBe('{"type":"done"}')
  })

  test('v1 gets an error, not `done`, for a cancelled job', async () => {
    const { site, urls } = fixture
    const watcher = await client.v1.batchScrapeUrlsAndWatch([...urls(1), site.url('/held?v1')], {})
    const end = Promise.withResolvers<End>()
    watcher.addEventListener('document', () => void client.cancelBatchScrape(watcher.id))
    watcher.addEventListener('done', ({ detail }) => end.resolve(detail as End))
    watcher.addEventListener('error', ({ detail }) => end.resolve(detail as End))

    expect(await end.promise).toMatchObject({ status: 'failed', error: 'The batch scrape was cancelled' })
  })

  test('both versions work in a browser', async () => {
    const { lab, site, urls } = fixture
    await using browser = await launch()
    const page = await browser.newPage({ bypassCSP: true })
    await page.goto(`${lab.server.url}/livez`)
    await page.addScriptTag({ content: await bundle() })

    const seen = await page.evaluate(watchInPage, {
      options: { apiKey: lab.server.apiKey, apiUrl: lab.server.url },
      urls: [...urls(2)],
      held: site.url('/held?browser'),
    })

    expect(seen).toMatchObject({
      completed: { status: 'completed', sources: urls(2), documents: 2 },
      cancelled: { status: 'cancelled', sources: urls(2), documents: 2 },
      v1: { status: 'completed', documents: 2 },
      v1Cancelled: { status: 'failed', documents: 2 },
    })
  })
})

async function launch() {
  return chromium.launch({ executablePath: browserPaths.shell, args: ['--no-sandbox'] })
}

/** Bundles the client as a script that sets `FirecrawlBundle`. */
async function bundle(): Promise<string> {
  const outputs = await build({
    root: repository,
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env': '{}' },
    build: {
      write: false,
      minify: false,
      lib: { entry: 'node_modules/firecrawl/dist/index.js', name: 'FirecrawlBundle', formats: ['iife'] },
      rolldownOptions: { external: ['undici'] },
    },
  })
  const [first] = outputs as Rolldown.RolldownOutput[]
  return first?.output[0].code ?? ''
}

interface Watched {
  readonly status: string
  readonly sources: readonly unknown[]
  readonly documents: number
}

/** Runs in the page. */
async function watchInPage({
  options,
  urls,
  held,
}: {
  readonly options: { readonly apiKey: string; readonly apiUrl: string }
  readonly urls: string[]
  readonly held: string
}) {
  const { Firecrawl: Client } = (globalThis as unknown as { FirecrawlBundle: { Firecrawl: typeof Firecrawl } })
    .FirecrawlBundle
  const client = new Client(options)
  const show = ({ status, data }: End, documents: number): Watched => ({
    status,
    sources: data.map(({ metadata }) => metadata?.sourceURL ?? '').toSorted(),
    documents,
  })
  const watchV2 = async (list: string[], cancels: boolean): Promise<Watched> => {
    const { id } = await client.startBatchScrape(list)
    const watcher = client.watcher(id, { kind: 'batch', pollInterval: 600 })
    let documents = 0
    const end = Promise.withResolvers<End>()
    watcher.on('document', () => {
      documents += 1
      if (cancels && documents === 2) void client.cancelBatchScrape(id)
    })
    watcher.on('done', end.resolve)
    watcher.on('error', end.reject)
    await watcher.start()
    return show(await end.promise, documents)
  }
  const watchV1 = async (list: string[], cancels: boolean): Promise<Watched> => {
    const watcher = await client.v1.batchScrapeUrlsAndWatch(list, {})
    let documents = 0
    const end = Promise.withResolvers<End>()
    watcher.addEventListener('document', () => {
      documents += 1
      if (cancels && documents === 2) void client.cancelBatchScrape(watcher.id)
    })
    watcher.addEventListener('done', ({ detail }) => end.resolve(detail as End))
    watcher.addEventListener('error', ({ detail }) => end.resolve(detail as End))
    return show(await end.promise, documents)
  }
  return {
    completed: await watchV2(urls, false),
    cancelled: await watchV2([...urls, held], true),
    v1: await watchV1(urls, false),
    v1Cancelled: await watchV1([...urls, held], true),
  }
}
