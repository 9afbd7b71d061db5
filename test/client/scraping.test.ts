import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { connectCdp, openInFirstPage } from '../lab/cdp-socket.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { fixedPage } from '../lab/pages/page.ts'
import { startSite, type Site } from '../lab/site.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let bowline: Bowline

beforeAll(async () => {
  site = fixture.use(
    await startSite({
      '/article': fixedPage('Harbour', '<h1>The harbour</h1><p>was quiet</p>'),
      '/never': () => undefined,
    }),
  )
  lab = fixture.use(await startLab())
  bowline = fixture.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
})
afterAll(async () => fixture.disposeAsync())

test('a page is scraped, and returned again by its id', async () => {
  const page = await bowline.scrape(site.url('/article'))
  const again = await bowline.getScrape(String(page.metadata.scrapeId))

  expect(page.markdown).toContain('# The harbour')
  expect(again).toEqual(page)
})

test('the page of a session is scraped by its session, or by its id', async () => {
  await using session = await bowline.sessions.create({ ttl: 60 })
  await using client = await connectCdp(session.cdpUrl)
  await openInFirstPage(client, site.url('/article'))

  const { markdown, metadata } = await session.scrape()
  const { links } = await bowline.sessions.scrape(session.id, { formats: ['links'] })

  expect(markdown).toContain('# The harbour')
  expect(metadata.url).toBe(site.url('/article'))
  expect(links).toEqual([])
  await expect(session.scrape({ targetId: 'NONE' })).rejects.toMatchObject({ code: 'TARGET_NOT_FOUND', status: 404 })
})

test('a refused request rejects with the code of the server', async () => {
  await expect(bowline.scrape('ftp://example.com')).rejects.toMatchObject({ code: 'BAD_REQUEST', status: 400 })
  await expect(bowline.scrape('http://nothing.invalid')).rejects.toMatchObject({ code: 'SCRAPE_DNS_RESOLUTION_ERROR' })
})

test('aborting stops the wait', async () => {
  const controller = new AbortController()
  const scraping = bowline.scrape(site.url('/never'), {}, { signal: controller.signal })
  await site.requests.waitFor('/never')

  controller.abort(new Error('enough'))

  await expect(scraping).rejects.toThrow('enough')
})
