import { Firecrawl } from 'firecrawl'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScrapeFixture, type ScrapeFixture } from './fixture.ts'

describe('the public client `firecrawl`, unmodified', () => {
  let fixture: ScrapeFixture
  let client: Firecrawl
  beforeAll(async () => {
    fixture = await startScrapeFixture()
    client = new Firecrawl({ apiKey: fixture.lab.server.apiKey, apiUrl: fixture.lab.server.url })
  })
  afterAll(async () => fixture[Symbol.asyncDispose]())

  test('scrapes a page with API v2', async () => {
    const page = await client.scrape(fixture.site.url('/article'), { formats: ['markdown', 'links'], timeout: 20_000 })

    expect(page.markdown).toContain('# The harbour')
    expect(page.links).toContain(fixture.site.url('/lighthouse'))
    expect(page.metadata).toMatchObject({ title: 'Harbour', statusCode: 200 })
  })

  test('performs actions', async () => {
    const page = await client.scrape(fixture.site.url('/acting'), {
      formats: [{ type: 'screenshot', fullPage: true }],
      actions: [{ type: 'executeJavascript', script: '1 + 1' }],
    })

    expect(page.actions?.['javascriptReturns']).toEqual([{ type: 'number', value: 2 }])
    expect((await fetch(page.screenshot!)).headers.get('content-type')).toBe('image/png')
  })

  test('scrapes a page with API v1', async () => {
    const page = await client.v1.scrapeUrl(fixture.site.url('/article'), {
      formats: ['markdown', 'html'],
      parsePDF: true,
    })

    expect(page).toMatchObject({ success: true, markdown: expect.stringContaining('# The harbour') })
  })

  test('gets errors as its own error type', async () => {
    await expect(client.scrape('http://nothing.invalid/')).rejects.toThrow('does not resolve')
    await expect(client.scrape(fixture.site.url('/drip'), { timeout: 1000 })).rejects.toMatchObject({ status: 408 })
  })
})
