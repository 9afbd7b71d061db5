import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../../../test/lab/lab.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

let fixture: ScrapeFixture
let version = 1
beforeAll(async () => {
  fixture = await startScrapeFixture(
    {},
    {
      '/changing': ({ response }) => {
        response.setHeader('content-type', 'text/html')
        response.end(`<p>first</p><p>version ${version}</p><p>last</p>`)
      },
      '/says-pages': ({ response, url }) => {
        response.setHeader('content-type', 'text/html')
        response.end(`<meta name="numPages" content="${url.search.slice(1)}"><p>A page of the site.</p>`)
      },
      '/views': ({ response }) => {
        response.setHeader('content-type', 'text/html')
        response.end('<main></main><script>document.querySelector("main").textContent = location.hash</script>')
      },
    },
  )
})
afterAll(async () => fixture[Symbol.asyncDispose]())

/** Scrapes a page with these options, once for all tests of a kind. Returns its path. */
async function stored(kind: string, options: object): Promise<string> {
  const path = `/article?${kind}=${encodeURIComponent(JSON.stringify(options))}`
  if (!fixture.site.requests.all.some((each) => each.path === path)) await fixture.read(path, { ...options })
  return path
}

describe('a scraped page', () => {
  test('is served from the cache within `maxAge`, for the same price', async () => {
    const first = await fixture.read('/changing', { maxAge: 60_000 })
    version += 1
    const second = await fixture.read('/changing', { maxAge: 60_000 })
    const third = await fixture.read('/changing', { maxAge: 0 })

    expect(second['markdown']).toBe(first['markdown'])
    expect(second['metadata']).toMatchObject({ cacheState: 'hit', cachedAt: expect.any(String), creditsUsed: 1 })
    expect(second['metadata']['scrapeId']).not.toBe(first['metadata']['scrapeId'])
    expect(third['markdown']).not.toBe(first['markdown'])
  })

  test.each([
    ['other formats', {}, { formats: ['html', 'rawHtml', 'links', 'images'] }],
    ['formats in another order', { formats: ['markdown', 'links'] }, { formats: ['links', 'markdown'] }],
    ['other parts', {}, { excludeTags: ['h1'], onlyMainContent: false, blockAds: false, parsers: [] }],
    ['the default location by name', {}, { location: { country: 'us' } }],
    ['attributes', {}, { formats: [{ type: 'attributes', selectors: [{ selector: 'img', attribute: 'alt' }] }] }],
    ['no browser', { waitFor: 2 }, { fastMode: true }],
    ['a shorter wait', { waitFor: 2 }, { waitFor: 1, formats: ['html'] }],
    ['the same screenshot', { formats: ['screenshot'] }, { formats: ['markdown', 'screenshot'] }],
    ['no screenshot', { formats: ['screenshot'] }, { formats: ['html'] }],
    ['certificate verification', { skipTlsVerification: true }, {}],
  ])('serves scrapes with %s like a page loaded for them', async (name, first, second) => {
    const path = await stored('serves', first)
    const asked = fixture.site.requests.all.length
    const fresh = await fixture.read(`${path}&fresh=${encodeURIComponent(name)}`, second)
    const hit = await fixture.read(path, { ...second, maxAge: 60_000 })

    const { metadata, screenshot, ...content } = hit
    const { metadata: freshMetadata, screenshot: _, ...freshContent } = fresh
    expect(metadata).toMatchObject({ cacheState: 'hit', creditsUsed: 1, title: freshMetadata['title'] })
    expect(JSON.stringify(content)).toBe(JSON.stringify(freshContent))
    expect(screenshot === undefined).toBe(!('screenshot' in fresh))
    expect(fixture.site.requests.all.slice(asked).map((each) => each.path)).not.toContain(path)
  })

  test.each([
    ['another wait', {}, { waitFor: 1 }],
    ['a longer wait', { waitFor: 1 }, { waitFor: 2 }],
    ['a phone', {}, { mobile: true }],
    ['another language', {}, { location: { country: 'de' } }],
    ['a screenshot', { waitFor: 1 }, { formats: ['screenshot'] }],
    ['another screenshot', { formats: ['screenshot'] }, { formats: ['screenshot@fullPage'] }],
    ['advertisements that were not loaded', { waitFor: 1 }, { waitFor: 1, blockAds: false }],
  ])('does not serve scrapes with %s', async (_, first, second) => {
    const path = await stored('differs', first)

    expect((await fixture.read(path, { ...second, maxAge: 60_000 }))['metadata']['cacheState']).toBe('miss')
    const { status } = await fixture.scrape(`${path}&never`, { ...second, lockdown: true })
    expect(status).toBe(404)
  })

  test('does not serve scrapes with change tracking', async () => {
    const path = await stored('tracked', {})
    const formats = ['markdown', 'changeTracking']

    expect((await fixture.read(path, { formats, maxAge: 60_000 }))['metadata']['cacheState']).toBe('miss')
  })

  test('that is empty without scripts serves only scrapes that use no browser', async () => {
    await fixture.read('/shell?stored', { fastMode: true })

    const fetched = await fixture.read('/shell?stored', { fastMode: true, formats: ['rawHtml'], maxAge: 60_000 })
    const rendered = await fixture.read('/shell?stored', { maxAge: 60_000 })

    expect(fetched['metadata']['cacheState']).toBe('hit')
    expect(rendered).toMatchObject({ markdown: expect.stringContaining('Rendered'), metadata: { cacheState: 'miss' } })
  })

  test('that is a PDF serves scrapes of the parsed pages, at their price', async () => {
    const first = (maxPages: number) => ({ parsers: [{ type: 'pdf', maxPages }] })
    await fixture.read('/three.pdf?kept', first(2))
    const states = []
    for (const options of [
      first(1),
      first(2),
      { waitFor: 1, ...first(1) },
      {},
      { parsers: [] },
      { formats: ['html'] },
    ]) {
      const { metadata } = await fixture.read('/three.pdf?kept', { ...options, maxAge: 60_000 })
      states.push([metadata['cacheState'], metadata['creditsUsed']])
    }

    expect(states).toEqual([
      ['hit', 1],
      ['hit', 2],
      ['hit', 1],
      ['miss', 3],
      ['miss', 1],
      ['hit', 3],
    ])
  })

  test.each([{ storeInCache: false }, { headers: { 'x-a': 'b' } }, { zeroDataRetention: true }])(
    'is not stored for others with %o',
    async (options) => {
      const path = `/article?${JSON.stringify(options)}`
      await fixture.read(path, options)

      expect((await fixture.read(path, { maxAge: 60_000 }))['metadata']['cacheState']).toBe('miss')
    },
  )

  test.each(['5000', 'many', '-3'])('does not cost more if it claims to have %s pages', async (pages) => {
    await fixture.read(`/says-pages?${pages}`)
    for (const formats of [['markdown'], ['links']]) {
      const { metadata } = await fixture.read(`/says-pages?${pages}`, { formats, maxAge: 60_000 })

      expect(metadata).toMatchObject({ cacheState: 'hit', creditsUsed: 1 })
    }
  })

  test('is served with the warnings of the new request', async () => {
    const asked = (path: string, options: object) => fixture.read(path, { maxAge: 60_000, ...options })
    const narrow = await asked('/notes.txt?warned', { includeTags: ['p'] })
    const plain = await asked('/notes.txt?warned', { formats: ['links'] })
    const narrowAgain = await asked('/notes.txt?warned', { formats: ['links'], excludeTags: ['b'] })
    const enhanced = await asked('/article?proxied', { proxy: 'enhanced' })
    const basic = await asked('/article?proxied', {})

    expect(narrow['warning']).toContain('`includeTags`')
    expect(plain['metadata']['cacheState']).toBe('hit')
    expect(plain['warning']).toBeUndefined()
    expect(narrowAgain['warning']).toMatch(/: `excludeTags`\.$/)
    expect(enhanced['warning']).toContain('is not configured')
    expect(basic['metadata']['cacheState']).toBe('hit')
    expect(basic['warning']).toBeUndefined()
  })

  test('serves scrapes over an enhanced proxy that is not configured, at the basic price and with a warning', async () => {
    const seen = []
    for (const proxy of ['stealth', 'stealth', 'enhanced', 'auto']) {
      const { metadata, warning } = await fixture.read('/article?no-proxy', { proxy, maxAge: 60_000 })
      const { cacheState, creditsUsed, proxyUsed } = metadata
      seen.push([cacheState, creditsUsed, proxyUsed, /The proxy "(\w+)" is not configured/.exec(warning)?.[1]])
    }

    expect(seen).toEqual([
      ['miss', 1, 'basic', 'stealth'],
      ['hit', 1, 'basic', 'stealth'],
      ['hit', 1, 'basic', 'enhanced'],
      ['hit', 1, 'basic', undefined],
    ])
  })

  test.each(['#/', '#q='])('is distinguished by a fragment that its scripts can read: %s', async (start) => {
    const first = await fixture.read(`/views${start}first`, { maxAge: 60_000, waitFor: 1 })
    const second = await fixture.read(`/views${start}second`, { maxAge: 60_000, waitFor: 1 })
    const again = await fixture.read(`/views${start}first`, { maxAge: 60_000, formats: ['markdown', 'html'] })

    expect([first['markdown'], second['markdown']]).toEqual([`${start}first\n`, `${start}second\n`])
    expect(again).toMatchObject({ markdown: first['markdown'], metadata: { cacheState: 'hit' } })
  })

  test('that was fetched serves every fragment, and has the URL with that of the request', async () => {
    await fixture.read('/article?anchors#top', { maxAge: 60_000 })
    const same = await fixture.read('/article?anchors#end', { maxAge: 60_000 })
    const other = await fixture.read('/article?anchors', { maxAge: 60_000, formats: ['html'] })

    for (const [{ metadata }, path] of [
      [same, '/article?anchors#end'],
      [other, '/article?anchors'],
    ] as const) {
      const url = fixture.site.url(path)
      expect(metadata).toMatchObject({ cacheState: 'hit', url, sourceURL: url })
    }
  })

  test.each([{ formats: ['screenshot'] }, { formats: ['screenshot', 'html'] }])(
    'has its screenshot at the host of the caller, not of the caller that stored it: %j',
    async (options) => {
      const url = fixture.site.url('/article?hosts')
      const ask = async (host: string, method: string, path: string, body?: object): Promise<Answer['body']> => {
        const sent = request(`${fixture.lab.server.url}${path}`, {
          method,
          headers: { host, authorization: `Bearer ${fixture.lab.server.apiKey}`, 'content-type': 'application/json' },
        })
        sent.end(body && JSON.stringify(body))
        const [response] = (await once(sent, 'response')) as [IncomingMessage]
        return ((await json(response)) as { data: Answer['body'] }).data
      }
      await ask('elsewhere.example', 'POST', '/v2/scrape', { url, formats: ['screenshot'], maxAge: 60_000 })

      const { screenshot, metadata } = await ask('a.example', 'POST', '/v2/scrape', { url, ...options, maxAge: 60_000 })

      expect(metadata).toMatchObject({ cacheState: 'hit' })
      const read = await ask('b.example', 'GET', `/v2/scrape/${metadata['scrapeId']}`)
      expect(screenshot).toMatch(/^http:\/\/a\.example\/files\/scrape\/[^/]+\/1\.png\?token=/)
      expect(read['screenshot']).toBe(screenshot.replace('a.example', 'b.example'))
    },
  )

  test('can be read by its id, with both API versions', async () => {
    const page = await fixture.read('/article')
    const id = page['metadata']['scrapeId']

    for (const root of ['/v1', '/v2']) {
      const { status, body } = await fixture.lab.api('GET', `${root}/scrape/${id}`)
      expect(status).toBe(200)
      expect(body).toEqual({ success: true, data: page })
    }
  })

  test('has a screenshot that the first of two tokens grants access to', async () => {
    const { screenshot } = await fixture.read('/article', { formats: ['screenshot'] })

    expect((await fetch(`${screenshot}&token=other`)).status).toBe(200)
    expect((await fetch(screenshot.replace('token=', 'token=other&token='))).status).toBe(404)
  })

  test('is not shared with other teams', async () => {
    const { metadata } = await fixture.read('/article')
    const { body } = await fixture.lab.api('POST', '/v2/team/keys', { team: 'others' })
    const headers = { authorization: `Bearer ${body['key']}` }

    expect((await fixture.lab.api('GET', `/v2/scrape/${metadata['scrapeId']}`, undefined, headers)).status).toBe(403)
    expect((await fixture.lab.api('GET', '/v2/scrape/01a1fd15-0c10-7879-aa7c-0b034b2f48df')).status).toBe(404)
  })

  test('is not stored with zeroDataRetention, including its screenshot, for one more credit', async () => {
    const page = await fixture.read('/article', { zeroDataRetention: true, formats: ['markdown', 'screenshot'] })

    expect(page['screenshot']).toMatch(/^data:image\/png;base64,/)
    expect(page['metadata']['creditsUsed']).toBe(2)
    expect((await fixture.lab.api('GET', `/v2/scrape/${page['metadata']['scrapeId']}`)).status).toBe(404)
  })

  test.each([
    ['maxAge', { maxAge: 60_000 }, 2],
    ['minAge', { minAge: 0 }, 2],
    ['lockdown', { lockdown: true }, 5],
    ['other formats', { maxAge: 60_000, formats: ['links'] }, 2],
  ])('is served to scrapes with zeroDataRetention, which are not stored: %s', async (_, options, creditsUsed) => {
    const path = await stored('retained', {})
    const { metadata } = await fixture.read(path, { ...options, zeroDataRetention: true })

    expect(metadata).toMatchObject({ cacheState: 'hit', creditsUsed })
    expect((await fixture.lab.api('GET', `/v2/scrape/${metadata['scrapeId']}`)).status).toBe(404)
  })

  test('that is larger than a row can be read', async () => {
    const page = await fixture.read('/article', { formats: ['rawHtml', 'markdown'], waitFor: 1 })
    const large = await fixture.read('/deep', { formats: ['rawHtml'] })

    expect(page['rawHtml']).toContain('harbour')
    const { body } = await fixture.lab.api('GET', `/v2/scrape/${large['metadata']['scrapeId']}`)
    expect(body['data']['rawHtml']).toHaveLength(large['rawHtml'].length)
  })
})

describe('only the cache', () => {
  test('responds with lockdown, for four more credits, or with 404', async () => {
    await fixture.read('/article?locked')

    const found = await fixture.read('/article?locked', { lockdown: true, formats: ['links', 'markdown'] })
    const missing = await fixture.scrape('/article?never', { lockdown: true })

    expect(found['metadata']).toMatchObject({ cacheState: 'hit', creditsUsed: 5 })
    expect([missing.status, missing.body['code']]).toEqual([404, 'SCRAPE_LOCKDOWN_CACHE_MISS'])
  })

  test('responds with minAge if a page is old enough, or with 404', async () => {
    await fixture.read('/article?aged')

    const aged = await fixture.read('/article?aged', { minAge: 0, formats: ['html'] })
    expect(aged['metadata']['cacheState']).toBe('hit')
    for (const minAge of [3_600_000, Number.MAX_SAFE_INTEGER]) {
      const tooYoung = await fixture.scrape('/article?aged', { minAge })
      expect([tooYoung.status, tooYoung.body['code']]).toEqual([404, 'SCRAPE_NO_CACHED_DATA'])
    }
  })
})
