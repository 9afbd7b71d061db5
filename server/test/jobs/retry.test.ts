import type { Document } from '../../../src/contract/document.ts'
import type { Answer } from '../../../test/lab/lab.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendHtml } from '../../../test/lab/pages/page.ts'
import { makePages, startJobFixture, type JobFixture } from './fixture.ts'

let fixture: JobFixture
let release: () => void
let isDown = true

beforeAll(async () => {
  const made = makePages()
  release = made.release
  fixture = await startJobFixture(
    'PGlite',
    {},
    {
      ...made.pages,
      '/links-to': (exchange) => {
        const links = exchange.url.searchParams.getAll('url').map((url) => `<a href="${url}">A shop</a>`)
        sendHtml(exchange, 'Links', links.join('\n'))
      },
      '/shop': (exchange) => {
        const { 'x-visitor': visitor = 'nobody' } = exchange.request.headers
        if (isDown) exchange.response.destroy()
        else sendHtml(exchange, 'Shop', `<h1>Open for ${String(visitor)}</h1>`)
      },
    },
  )
})
afterAll(async () => fixture[Symbol.asyncDispose]())

const retry = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
  const { api, server } = fixture.lab
  const path = `${new URL(url).pathname.replace('crawl', 'batch/scrape')}/retry`
  return api('POST', path, undefined, { authorization: `Bearer ${server.apiKey}`, ...headers })
}

test('the failed pages of a batch are scraped again with the options they had', async () => {
  const { site, urls, start, ended } = fixture
  isDown = true
  const headers = { 'x-visitor': 'ann' }
  const url = await start('/v2/batch/scrape', { urls: [...urls(2), site.url('/shop?n=1')], headers })
  await ended(url)
  const appendToId = url.split('/').at(-1)
  await start('/v2/batch/scrape', { urls: [site.url('/shop?n=2')], formats: ['links'], appendToId })
  expect(await ended(url)).toMatchObject({ completed: 2 })
  isDown = false

  const { status, body } = await retry(url)

  expect(status).toBe(200)
  expect(body['id']).not.toBe(appendToId)
  const again = await ended(body['url'])
  expect(again).toMatchObject({ status: 'completed', completed: 2, total: 2, creditsUsed: 2 })
  const documents = new Map((again['data'] as readonly Document[]).map((each) => [each.metadata.sourceURL, each]))
  expect(documents.get(site.url('/shop?n=1'))).toMatchObject({ markdown: '# Open for ann\n' })
  expect(documents.get(site.url('/shop?n=2'))).toMatchObject({ links: [] })
  expect((await retry(url, { 'x-idempotency-key': 'once' })).body['id']).toBe(
    (await retry(url, { 'x-idempotency-key': 'once' })).body['id'],
  )
})

test('the failed pages of a crawl become a batch, which finds no further pages', async () => {
  const { site, start, ended } = fixture
  isDown = true
  const url = await start('/v2/crawl', { url: site.url('/shop?n=3'), sitemap: 'skip' })
  await ended(url)
  isDown = false

  const { body } = await retry(url)

  expect(body['url']).toContain('/v2/batch/scrape/')
  expect(await ended(body['url'])).toMatchObject({ status: 'completed', completed: 1, total: 1 })
  // Nobody asked for the attributes in which the crawl found its links.
  expect((await fixture.lab.api('GET', `/v2/team/jobs/${body['id']}`)).body['data'].options).not.toHaveProperty(
    'formats',
  )
})

test('the failed pages of a crawl are scraped by its rules: custom headers are only sent to its site', async () => {
  const { site, start, ended } = fixture
  isDown = true
  const external = site.url('/shop?n=5').replace('127.0.0.1', 'localhost')
  const url = await start('/v2/crawl', {
    url: site.url(`/links-to?url=${encodeURIComponent(external)}&url=${encodeURIComponent(site.url('/shop?n=6'))}`),
    sitemap: 'skip',
    allowExternalLinks: true,
    crawlEntireDomain: true,
    scrapeOptions: { headers: { 'x-visitor': 'ann' } },
  })
  await ended(url)
  isDown = false

  const { body } = await retry(url)
  const again = await ended(body['url'])
  const second = await start('/v2/batch/scrape', {
    urls: [external],
    headers: { 'x-visitor': 'ben' },
    appendToId: body['id'],
    maxAge: 0,
  })

  const textOf = (job: Answer['body']) =>
    Object.fromEntries(
      (job['data'] as readonly Document[]).map(({ metadata, markdown }) => [metadata.sourceURL, markdown]),
    )
  expect(textOf(again)).toEqual({
    [external]: '# Open for nobody\n',
    [site.url('/shop?n=6')]: '# Open for ann\n',
  })
  expect(JSON.stringify((await ended(second))['data'])).toContain('Open for ben')
})

test('a running job and one without failed pages are refused', async () => {
  const { site, urls, start, ended } = fixture
  const running = await start('/v2/batch/scrape', { urls: [site.url('/held?retry')] })
  const early = await retry(running)
  release()
  await ended(running)
  const clean = await start('/v2/batch/scrape', { urls: urls(1) })
  await ended(clean)
  const useless = await retry(clean)

  expect(early).toMatchObject({ status: 409, body: { code: 'CONFLICT', error: 'The job is still running' } })
  expect(useless).toMatchObject({ status: 409, body: { code: 'CONFLICT', error: 'No page of the job has failed' } })
})
