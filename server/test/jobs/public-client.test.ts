import { once } from 'node:events'
import { Firecrawl } from 'firecrawl'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { linksTo } from '../map/fixture.ts'
import { makePages, startJobFixture, type JobFixture } from './fixture.ts'

describe('the public client `firecrawl`, unmodified', () => {
  let fixture: JobFixture
  let client: Firecrawl
  let release: () => void
  beforeAll(async () => {
    const made = makePages()
    release = made.release
    fixture = await startJobFixture('PostgreSQL', {}, { ...made.pages, '/': linksTo('/page?n=1', '/page?n=2') })
    client = new Firecrawl({ apiKey: fixture.lab.server.apiKey, apiUrl: fixture.lab.server.url })
  })
  afterAll(async () => fixture[Symbol.asyncDispose]())

  test('runs a batch to its end', async () => {
    const { site, urls } = fixture
    const batch = await client.batchScrape([...urls(5), site.url('/broken')], { options: { formats: ['markdown'] } })

    expect(batch).toMatchObject({ status: 'completed', completed: 5, total: 5, creditsUsed: 5 })
    expect(new Set(batch.data.map(({ metadata }) => metadata?.sourceURL))).toEqual(new Set(urls(5)))
    const started = await client.startBatchScrape([site.url('/broken'), 'nonsense'], { ignoreInvalidURLs: true })
    expect(started.invalidURLs).toEqual(['nonsense'])
    await fixture.ended(started.url)
    expect((await client.getBatchScrapeErrors(started.id)).errors).toMatchObject([{ url: site.url('/broken') }])
    await expect(client.cancelBatchScrape(started.id)).rejects.toMatchObject({ status: 409 })
  })

  test('cancels a batch', async () => {
    const { id } = await client.startBatchScrape([fixture.site.url('/held?cancel')])

    expect(await client.cancelBatchScrape(id)).toBe(true)
    expect((await client.getBatchScrapeStatus(id)).status).toBe('cancelled')
  })

  test('crawls, lists running crawls, and reads their errors', async () => {
    const { site } = fixture
    const crawl = await client.crawl(site.url('/'), { sitemap: 'skip', scrapeOptions: { formats: ['markdown'] } })

    expect(crawl).toMatchObject({ status: 'completed', completed: 3, total: 3 })
    const running = await client.startCrawl(site.url('/held?crawl'), { sitemap: 'skip' })
    expect((await client.getActiveCrawls()).crawls).toMatchObject([{ id: running.id, url: site.url('/held?crawl') }])
    expect(await client.getCrawlErrors(running.id)).toEqual({ errors: [], robotsBlocked: [] })
    expect(await client.cancelCrawl(running.id)).toBe(true)
    await expect(client.crawlParamsPreview(site.url('/'), 'everything')).rejects.toMatchObject({ status: 400 })
  })

  test('stops watching a job when its key is revoked', async () => {
    const { lab, site } = fixture
    const { body: made } = await lab.api('POST', '/v2/team/keys', {})
    const { id } = await client.startBatchScrape([site.url('/held?revoked')])
    const url = `${lab.server.url.replace('http', 'ws')}/v2/batch/scrape/${id}`
    const watcher = new WebSocket(url, [made['key']])
    const closed = once(watcher, 'close')
    await once(watcher, 'message')

    await lab.api('DELETE', `/v2/team/keys/${made['data'].id}`)

    expect((await closed)[0]).toBe(3000)
    await client.cancelBatchScrape(id)
  })

  test('watches a batch over a WebSocket from the catch-up to its end', async () => {
    const { site, urls } = fixture
    const { id } = await client.startBatchScrape([...urls(2), site.url('/held?watch')])
    const watcher = client.watcher(id, { kind: 'batch', pollInterval: 600 })
    const seen: unknown[] = []
    const done = Promise.withResolvers<{ status: string }>()
    watcher.on('document', (document: { metadata: { sourceURL: string } }) => {
      seen.push(document.metadata.sourceURL)
      if (seen.length === 2) release()
    })
    watcher.on('done', done.resolve)
    watcher.on('error', done.reject)
    await watcher.start()

    expect((await done.promise).status).toBe('completed')
    expect(new Set(seen)).toEqual(new Set([...urls(2), site.url('/held?watch')]))
  })

  test('watches a job with API v1, and gets an error for an unknown one', async () => {
    const { urls } = fixture
    const watcher = await client.v1.batchScrapeUrlsAndWatch([...urls(2)], { formats: ['markdown'] })
    const done = Promise.withResolvers<string>()
    watcher.addEventListener('done', (event) => done.resolve(event.detail.status))
    watcher.addEventListener('error', (event) => done.reject(new Error(event.detail.error)))
    expect(await done.promise).toBe('completed')

    const lost = client.watcher('01234567-89ab-7def-8123-456789abcdef', { kind: 'crawl' })
    const failed = Promise.withResolvers<string>()
    lost.on('error', ({ error }: { error: string }) => failed.resolve(error))
    await lost.start()
    expect(await failed.promise).toBe('Job not found')
    lost.close()
  })

  test('runs batches and crawls with API v1', async () => {
    const { site, urls } = fixture
    const batch = await client.v1.batchScrapeUrls([...urls(3)], { formats: ['markdown'] }, 1)
    const crawl = await client.v1.crawlUrl(site.url('/'), { ignoreSitemap: true, limit: 2 }, 1)

    expect(batch).toMatchObject({ success: true, status: 'completed', completed: 3 })
    expect(crawl).toMatchObject({ success: true, status: 'completed', completed: 2 })
  })
})
