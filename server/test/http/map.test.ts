import { once } from 'node:events'
import { Firecrawl } from 'firecrawl'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Bowline } from '../../../src/index.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { linksTo, sitemapOf, textPage } from '../map/fixture.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site

beforeAll(async () => {
  site = fixture.use(
    await startSite({
      '/': linksTo('/about', '/prices'),
      '/sitemap.xml': sitemapOf('/', '/about', '/blog/first'),
      '/hanging/': () => {},
      '/app/': textPage(
        `<!doctype html><title>App</title><div id="root"></div><script>
          const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
          document.getElementById('root').innerHTML = '<a href="/app/' + timeZone + '">Here</a>'
        </script>`,
        'text/html',
      ),
    }),
  )
  lab = fixture.use(await startLab())
})

afterAll(async () => fixture.disposeAsync())

function urls(...paths: readonly string[]): readonly string[] {
  return paths.map((path) => site.url(path))
}

describe('POST /v2/map', () => {
  test('names the site that it lists, which can be another one after a redirect', async () => {
    await using from = await startSite({
      '/old': ({ response }) => void response.writeHead(302, { location: site.url('/') }).end(),
    })

    const { body } = await lab.api('POST', '/v2/map', { url: from.url('/old') })

    expect(body['warning']).toBe(`No pages were found under /old, so other pages of ${site.url('')} are listed.`)
  })

  test('accepts `threatProtection` with the mode `off` only', async () => {
    const map = async (mode: string) => lab.api('POST', '/v2/map', { url: site.url('/'), threatProtection: { mode } })

    expect((await map('off')).status).toBe(200)
    expect((await map('on')).status).toBe(400)
  })

  test('returns the pages of a site', async () => {
    const { status, body } = await lab.api('POST', '/v2/map', { url: site.url('/') })

    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      links: [
        { url: site.url('/'), title: 'Links' },
        ...urls('/about', '/prices', '/blog/first').map((url) => ({ url })),
      ],
    })
  })

  test('renders a start page that is empty without scripts, in the requested location', async () => {
    const { body } = await lab.api('POST', '/v2/map', { url: site.url('/app/'), location: { country: 'DE' } })

    expect(body['links']).toContainEqual({ url: site.url('/app/Europe/Berlin') })
  })

  test('adds http:// to a URL without a scheme', async () => {
    const { body } = await lab.api('POST', '/v2/map', { url: `127.0.0.1:${site.port}`, limit: 1 })

    expect(body['links']).toMatchObject([{ url: site.url('/') }])
  })

  test('accepts the fields that public clients add', async () => {
    const { status } = await lab.api('POST', '/v2/map', {
      url: site.url('/'),
      origin: 'js-sdk@4',
      integration: 'x',
      useIndex: true,
      ignoreCache: true,
      filterByPath: true,
    })

    expect(status).toBe(200)
  })

  test.each([
    [{}, 'url'],
    [{ url: 'intranet' }, 'top-level domain'],
    [{ url: 'ftp://a.example/' }, 'unsupported protocol'],
    [{ url: 'http://' }, 'Invalid URL'],
    [{ url: 'javascript:alert(1)' }, 'Invalid URL'],
    [{ url: 'http://me:secret@a.example/' }, 'password'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 100_001 }, 'limit'],
    [{ timeout: 0 }, 'timeout'],
    [{ sitemap: 'maybe' }, 'sitemap'],
    [{ ignoreSitemap: true }, 'Unrecognized key'],
    [{ location: { country: 'Switzerland' } }, 'location.country'],
    [{ headers: { host: 'b.example' } }, 'headers'],
    [{ headers: { 'x-a': 'line\nbreak' } }, 'headers'],
  ])('with %j responds 400 with the reason', async (changes, words) => {
    const answer = await lab.api('POST', '/v2/map', {
      ...('url' in changes || words === 'url' ? {} : { url: 'a.example' }),
      ...changes,
    })

    expect(answer).toMatchObject({
      status: 400,
      body: { success: false, code: 'BAD_REQUEST', details: expect.anything() },
    })
    expect(answer.body['error']).toContain(words)
  })

  test.each(['http://10.0.0.1/', 'http://169.254.169.254/latest/', 'http://[::1]/', 'http://0x7f000002/'])(
    'responds 403 for %s, which is not public',
    async (url) => {
      expect(await lab.api('POST', '/v2/map', { url })).toMatchObject({ status: 403, body: { code: 'EGRESS_REFUSED' } })
    },
  )

  test('responds 403 for the server itself', async () => {
    expect(await lab.api('POST', '/v2/map', { url: lab.server.url })).toMatchObject({
      status: 403,
      body: { code: 'EGRESS_REFUSED' },
    })
  })

  test('responds 408 after its timeout', async () => {
    expect(await lab.api('POST', '/v2/map', { url: site.url('/hanging/'), timeout: 100 })).toMatchObject({
      status: 408,
      body: { success: false, code: 'MAP_TIMEOUT' },
    })
  })

  test('responds 502 if the site does not respond', async () => {
    await using gone = await startSite()
    const url = gone.url('/')
    await gone[Symbol.asyncDispose]()

    expect(await lab.api('POST', '/v2/map', { url })).toMatchObject({ status: 502, body: { code: 'EGRESS_FAILED' } })
  })

  test('responds 502 with a clear message if a site does not support TLS', async () => {
    const { body } = await lab.api('POST', '/v2/map', { url: site.url('/').replace('http:', 'https:') })

    expect(body).toMatchObject({
      code: 'EGRESS_FAILED',
      error: expect.stringMatching(/could not be fetched: [a-z ]+$/),
    })
  })

  test('stops when its caller disconnects', async () => {
    const closed = Promise.withResolvers<void>()
    await using slow = await startSite({
      '/': ({ response }) => void once(response, 'close').then(() => closed.resolve()),
    })
    const bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
    const leaving = new AbortController()

    const map = bowline.map(slow.url('/'), {}, { signal: leaving.signal })
    await slow.requests.waitFor('/')
    leaving.abort(new Error('enough'))

    await expect(map).rejects.toThrow('enough')
    await closed.promise
  })
})

test('POST /v1/map returns only URLs', async () => {
  const { status, body } = await lab.api('POST', '/v1/map', { url: site.url('/'), sitemapOnly: true })

  expect(status).toBe(200)
  expect(body).toEqual({ success: true, links: urls('/', '/about', '/blog/first') })
})

describe('the Bowline client', () => {
  test('maps a site', async () => {
    const bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })

    const { id, links, warning } = await bowline.map(site.url('/'), { search: 'blog', limit: 1 })

    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(links).toEqual([{ url: site.url('/blog/first') }])
    expect(warning).toBeUndefined()
  })

  test('reports a timeout by its code', async () => {
    const bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })

    await expect(bowline.map(site.url('/hanging/'), { timeout: 100 })).rejects.toMatchObject({ code: 'MAP_TIMEOUT' })
  })
})

describe('the public client `firecrawl`, unmodified', () => {
  test('maps a site', async () => {
    const client = new Firecrawl({ apiKey: lab.server.apiKey, apiUrl: lab.server.url })

    const { links } = await client.map(site.url('/'), {
      limit: 2,
      sitemap: 'include',
      includeSubdomains: false,
      search: 'prices',
    })

    expect(links).toEqual([{ url: site.url('/prices') }, expect.objectContaining({ url: expect.any(String) })])
  })

  test('maps a site with API v1', async () => {
    const client = new Firecrawl({ apiKey: lab.server.apiKey, apiUrl: lab.server.url })

    const answer = await client.v1.mapUrl(site.url('/'), {})

    expect(answer).toMatchObject({ success: true, links: urls('/', '/about', '/prices', '/blog/first') })
  })

  test('gets a timeout as its own error', async () => {
    const client = new Firecrawl({ apiKey: lab.server.apiKey, apiUrl: lab.server.url })

    await expect(client.map(site.url('/hanging/'), { timeout: 100 })).rejects.toMatchObject({ status: 408 })
  })
})
