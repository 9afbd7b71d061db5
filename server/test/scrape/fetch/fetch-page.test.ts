import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture()
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test('a static page is fetched without a browser and returns its main content', async () => {
  const page = await fixture.read('/article', { formats: ['markdown', 'html', 'rawHtml', 'links', 'images'] })

  expect(page['markdown']).toMatch(/^# The harbour\n/)
  expect(page['markdown']).not.toContain('Imprint')
  expect(page['html']).not.toContain('<nav>')
  expect(page['rawHtml']).toContain('<nav>')
  expect(page['links']).toContain(fixture.site.url('/lighthouse'))
  expect(page['links']).not.toContain(fixture.site.url('/menu'))
  expect(page['images']).toEqual([fixture.site.url('/boat.png')])
  expect(page['metadata']).toMatchObject({
    title: 'Harbour',
    language: 'en',
    sourceURL: fixture.site.url('/article'),
    url: fixture.site.url('/article'),
    statusCode: 200,
    contentType: 'text/html; charset=utf-8',
    proxyUsed: 'basic',
    creditsUsed: 1,
  })
  expect(fixture.site.requests.all.map(({ path }) => path)).toEqual(['/article'])
})

test('only the requested formats are returned', async () => {
  const page = await fixture.read('/article', { formats: ['links'] })

  expect(Object.keys(page).toSorted()).toEqual(['links', 'metadata'])
})

test('elements are included and excluded by selectors', async () => {
  const chosen = await fixture.read('/article', { includeTags: ['.aside'], excludeTags: ['a'] })
  const whole = await fixture.read('/article', { onlyMainContent: false })
  const values = await fixture.read('/article', {
    formats: [{ type: 'attributes', selectors: [{ selector: 'img', attribute: 'alt' }] }],
  })

  expect(chosen['markdown']).toMatch(/^A note in\s*\.\n$/)
  expect(whole['markdown']).toContain('Imprint')
  expect(values['attributes']).toEqual([{ selector: 'img', attribute: 'alt', values: ['boat'] }])
})

test('selectors that match nothing cause a warning', async () => {
  const page = await fixture.read('/article', { includeTags: ['.nowhere'] })

  expect(page).toMatchObject({ markdown: '', warning: 'No element of the page matches `includeTags`.' })
})

test('tracking pixels are removed unless `blockAds` is false', async () => {
  const [without, within] = await Promise.all(
    [true, false].map(async (blockAds) => fixture.read('/tracked', { blockAds, onlyMainContent: false })),
  )

  expect(without?.['markdown']).not.toContain('google-analytics')
  expect(without?.['markdown']).toContain('boat.png')
  expect(within?.['markdown']).toContain('google-analytics')
})

test.each([
  ['its header', '/charset/header', 'naïve café'],
  ['its meta element', '/charset/meta', 'Привет'],
  ['its byte order mark', '/charset/mark', 'naïve café'],
  ['its bytes, if it is not declared', '/charset/none', 'naïve café'],
])('the encoding of a page is detected by %s', async (_, path, text) => {
  expect((await fixture.read(path))['markdown'].trim()).toBe(text)
})

describe('while fetching a page', () => {
  test.each(['/refresh', '/refresh-header'])('a refresh is followed: %s', async (path) => {
    expect((await fixture.read(path))['metadata']['url']).toBe(fixture.site.url('/article'))
  })

  test('a cookie that a site requires is sent back', async () => {
    expect((await fixture.read('/asks-for-cookie'))['markdown']).toBe('Come in.\n')
  })

  test('only the cookies for its path and host that have not expired follow a redirect', async () => {
    expect((await fixture.read('/cookies/set', { onlyMainContent: false }))['markdown']).toContain('"cookie":"here=1"')
  })

  test('URLs in UTF-8 are requested, and redirects without a target are pages', async () => {
    const page = await fixture.read('/unescaped')

    expect(page).toMatchObject({ markdown: 'This moved, but where to?\n', metadata: { statusCode: 302 } })
  })

  test.each(['mailto:a@example.com', 'intent://open#Intent;end', 'file:///etc/hostname'])(
    'a redirect to %s is not followed, and a warning says so',
    async (to) => {
      const page = await fixture.read(`/redirect?to=${encodeURIComponent(to)}`)

      expect(page).toMatchObject({
        warning: `The page redirects to a \`${new URL(to).protocol}\` URL, which was not followed.`,
        metadata: { statusCode: 302 },
      })
    },
  )

  test('endless redirects fail', async () => {
    const { status, body } = await fixture.scrape('/forever')

    expect(status).toBe(500)
    expect(body).toMatchObject({
      success: false,
      code: 'SCRAPE_SITE_ERROR',
      error: expect.stringContaining('20 times'),
    })
  })

  test.each([
    ['fetched', {}],
    ['rendered', { waitFor: 1, onlyMainContent: false }],
  ])('custom headers are sent to the origin of a %s page, and not to redirect targets', async (_, how) => {
    const headers = {
      'X-Team': 'blue',
      Authorization: 'secret',
      'User-Agent': 'Mine/1',
      'Accept-Language': 'cy-GB, en;q=0.5',
      Referer: 'https://a.test/?secret',
    }
    const direct = await fixture.read('/headers', { headers, ...how })
    const elsewhere = await fixture.read('/away', { headers, ...how })

    for (const sent of ['"x-team":"blue"', '"authorization":"secret"', '"referer":"https://a.test/?secret"']) {
      expect(direct['markdown']).toContain(sent)
      expect(elsewhere['markdown']).not.toContain(sent)
    }
    for (const sent of ['"user-agent":"Mine/1"', '"accept-language":"cy-GB,']) {
      expect(direct['markdown'].replace('cy-GB, ', 'cy-GB,')).toContain(sent)
      expect(elsewhere['markdown'].replace('cy-GB, ', 'cy-GB,')).toContain(sent)
    }
    expect(direct['warning']).toBeUndefined()
    expect(elsewhere['warning']).toContain(`redirects to ${new URL(fixture.site.crossUrl('/')).origin}`)
  })

  test('credentials in a URL are sent to its site, and its page is not cached', async () => {
    const url = fixture.site.url('/headers').replace('//', '//me:p%40ss@')
    const page = await fixture.read('', { url })
    const { status } = await fixture.scrape('', { url, lockdown: true, maxAge: 60_000 })

    expect(page['markdown']).toContain(`"authorization":"Basic ${btoa('me:p@ss')}"`)
    expect(status).toBe(404)
  })
})

describe('a URL that is not HTML', () => {
  test.each([
    ['JSON becomes a code block', '/data.json', '```json\n{"a": 1}\n```\n'],
    ['text is returned unchanged', '/notes.txt', 'plain <b>words</b>'],
    ['UTF-16 with a byte order mark and without a content type is HTML', '/utf-16', 'Grüße 日本\n'],
    ['UTF-16 with a byte order mark is text, not binary data', '/utf-16.txt', 'Grüße 日本'],
  ])('%s', async (_, path, markdown) => {
    expect((await fixture.read(path))['markdown']).toBe(markdown)
  })

  test('an image becomes a Markdown image', async () => {
    expect((await fixture.read('/picture.png'))['markdown']).toBe(`![](${fixture.site.url('/picture.png')})\n`)
  })

  test('an image is returned as base64 on request, also after it was cached without its bytes, and nothing else is', async () => {
    await fixture.read('/picture.png')

    expect(await fixture.read('/picture.png', { formats: ['rawBase64'] })).toMatchObject({
      rawBase64: 'data:image/png;base64,iVBORw==',
    })
    expect((await fixture.scrape('/article', { formats: ['rawBase64'] })).body).toMatchObject({
      code: 'SCRAPE_UNSUPPORTED_FILE_ERROR',
      error: expect.stringContaining('is not an image'),
    })
  })

  test('a program is rejected', async () => {
    const { status, body } = await fixture.scrape('/program.bin')

    expect([status, body['code']]).toEqual([500, 'SCRAPE_UNSUPPORTED_FILE_ERROR'])
  })

  test('a PDF is detected by its bytes, converted to Markdown and billed per page', async () => {
    const page = await fixture.read('/three.pdf')

    expect(page['markdown']).toContain('Second page')
    expect(page['metadata']).toMatchObject({ numPages: 3, totalPages: 3, creditsUsed: 3 })
  })

  test('a page that mentions PDFs is not a PDF', async () => {
    expect((await fixture.read('/about-pdf'))['markdown']).toContain('starts with %PDF-')
  })

  test('no more pages of a PDF are parsed and billed than requested', async () => {
    const page = await fixture.read('/three.pdf', { parsers: [{ type: 'pdf', maxPages: 1 }] })

    expect(page['markdown']).not.toContain('Second page')
    expect(page['metadata']).toMatchObject({ numPages: 1, totalPages: 3, creditsUsed: 1 })
  })

  test('a PDF without the PDF parser is returned as base64, for one credit', async () => {
    const page = await fixture.read('/three.pdf', { parsers: [] })

    expect(Buffer.from(page['markdown'], 'base64').toString('latin1')).toMatch(/^%PDF-/)
    expect(page['metadata']['creditsUsed']).toBe(1)
  })

  const tags = { includeTags: ['p'] }
  test.each([
    ['/three.pdf', { formats: ['markdown', 'screenshot'] }, 'a PDF: the format screenshot.'],
    ['/three.pdf', { formats: ['markdown', 'branding'] }, 'a PDF: the format branding.'],
    ['/three.pdf', tags, 'a PDF: `includeTags`.'],
    [
      '/three.pdf',
      { formats: ['markdown', { type: 'attributes', selectors: [{ selector: 'a', attribute: 'href' }] }] },
      'a PDF: the format attributes.',
    ],
    ['/table.csv', { formats: ['screenshot', 'markdown'] }, 'text/csv: the format screenshot.'],
    ['/notes.txt', { ...tags, excludeTags: ['b'] }, 'text/plain: `includeTags`, `excludeTags`.'],
    ['/data.json', { onlyCleanContent: true }, 'application/json: `onlyCleanContent`.'],
    ['/picture.png', tags, 'an image: `includeTags`.'],
    ['/data.json', { formats: ['markdown', 'branding'] }, 'application/json: the format branding.'],
    ['/notes.txt', { formats: ['branding'] }, 'text/plain: the format branding.'],
    [
      '/feed.xml',
      { formats: ['branding', 'screenshot'], ...tags },
      'application/xml: the format branding, `includeTags`.',
    ],
    ['/picture.png', { formats: ['branding'] }, 'an image: the format branding.'],
  ])('%s has a warning about options that were not applied: %o', async (path, options, warning) => {
    const page = await fixture.read(path, options)

    expect(page['warning']).toMatch(/^Not applied, because the page is /)
    expect(page['warning']).toContain(warning)
  })

  test.each([
    ['/three.pdf', { formats: ['screenshot'] }, 'The format screenshot'],
    ['/three.pdf', { formats: ['branding', 'screenshot'] }, 'The format branding or screenshot'],
    ['/three.pdf', { actions: [{ type: 'scrape' }] }, '`actions`'],
    ['/table.csv', { actions: [{ type: 'scrape' }] }, '`actions`'],
  ])('%s rejects options that require a rendered page: %o', async (path, options, what) => {
    const { body } = await fixture.scrape(path, options)

    expect(body).toMatchObject({ success: false, code: 'SCRAPE_UNSUPPORTED_FILE_ERROR' })
    expect(body['error']).toContain(`${what} cannot be applied to it`)
  })

  test.each(['/feed.xml', '/drawing.svg', '/data.json', '/notes.txt', '/table.csv'])(
    '%s is the same when rendered in a browser',
    async (path) => {
      const fetched = await fixture.read(path)
      const shown = await fixture.read(path, { waitFor: 1 })

      expect(shown['markdown']).toBe(fetched['markdown'])
      expect(shown['markdown']).toMatch(/<title>A &amp; B<|plain|"a"|\| a \| b \|/)
    },
  )

  test('has no attributes', async () => {
    const formats = [{ type: 'attributes', selectors: [{ selector: 'a', attribute: 'href' }] }]

    expect((await fixture.read('/notes.txt', { formats }))['attributes']).toEqual([
      { selector: 'a', attribute: 'href', values: [] },
    ])
  })

  test('a malformed PDF causes a clear error', async () => {
    expect((await fixture.scrape('/broken.pdf')).body).toMatchObject({ success: false, code: 'PDF_INVALID' })
  })
})

describe('a hostile page', () => {
  test('that never ends fails at its timeout', async () => {
    const { status, body } = await fixture.scrape('/drip', { timeout: 1000 })

    expect(status).toBe(408)
    expect(body).toMatchObject({ success: false, code: 'SCRAPE_TIMEOUT' })
  })

  test.each([
    ['/attributes', 'more than 256 attributes'],
    ['/columns', 'more than 200 columns'],
  ])('is truncated with a warning: %s', async (path, words) => {
    const page = await fixture.read(path, { onlyMainContent: false })

    expect(page['warning']).toContain(words)
  })

  test('longer than 20 MB is truncated with a warning', async () => {
    const page = await fixture.read('/huge', { onlyMainContent: false })

    expect(page['markdown']).toMatch(/^start\n/)
    expect(page['warning']).toContain('20 MB')
    expect(page['warning']).toContain('500,000 elements')
  })

  test('nested 100,000 elements deep is parsed', async () => {
    expect((await fixture.read('/deep', { onlyMainContent: false }))['markdown']).toContain('bottom')
  })
})

describe('failures', () => {
  test('a page with status 410 is returned with the status in its metadata', async () => {
    const page = await fixture.read('/gone')

    expect(page['markdown']).toContain('Gone')
    expect(page['metadata']).toMatchObject({ statusCode: 410, error: expect.stringContaining('410'), creditsUsed: 1 })
  })

  test('a host name that does not resolve gets 200 with `success: false`', async () => {
    const { status, body } = await fixture.scrape('', { url: 'nothing.invalid' })

    expect(status).toBe(200)
    expect(body).toMatchObject({ success: false, code: 'SCRAPE_DNS_RESOLUTION_ERROR' })
  })

  test.each([{}, { waitFor: 1 }])('an address that is not public is blocked (%o)', async (options) => {
    const { status, body } = await fixture.scrape('', { url: 'http://10.0.0.1/', ...options })

    expect([status, body['code']]).toEqual([403, 'EGRESS_REFUSED'])
  })

  const blocked = [403, 'EGRESS_REFUSED']
  const paths = ['/redirect?to=http://10.0.0.1/', '/to-private', '/refresh-to-private']
  test.each(paths)('a page that leads to an address that is not public is blocked (%s)', async (path) => {
    const answers = [await fixture.scrape(path), await fixture.scrape(path, { waitFor: 300 })]

    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([blocked, blocked])
  })

  test.each([
    ['an unknown option', { colour: 'red' }, 'Unrecognized key in body: colour'],
    ['an unknown format', { formats: ['menu'] }, 'Format "menu" is not supported'],
    ['an unknown key in a format', { formats: [{ type: 'json', systemPrompt: 'x' }] }, 'systemPrompt'],
    ['another scheme', { url: 'ftp://example.com' }, 'URL uses unsupported protocol'],
    ['a name without a top-level domain', { url: 'http://intranet/' }, 'top-level domain'],
    ['a wait longer than half of the timeout', { waitFor: 2000, timeout: 3000 }, 'half of timeout'],
    ['an invalid selector', { includeTags: ['p['] }, 'not a CSS selector: Expected name, found the end'],
    ['a format without a type', { formats: [{ prompt: 'x' }] }, 'A format has no `type`. Supported formats: markdown,'],
    ['data without a language model', { formats: ['json'] }, 'language model'],
    ['tracking without Markdown', { formats: ['changeTracking'] }, 'requires the format markdown'],
    [
      'a header of the connection',
      { headers: { Host: 'example.com' } },
      'headers.Host: this header is set by the connection',
    ],
    ['a header with a line break', { headers: { 'X-A': 'b\r\nc: d' } }, 'headers.X-A: must not contain line breaks'],
    ['an invalid country', { location: { country: 'XX' } }, 'location.country: must be a two-letter country code'],
    ['an unknown parser', { parsers: ['docx'] }, 'The parsers are `pdf` and `image`'],
    ['a wait with two conditions', { actions: [{ type: 'wait', milliseconds: 1, selector: 'a' }] }, 'either'],
  ])('%s gets 400 with the reason', async (_, options, message) => {
    const { status, body } = await fixture.scrape('/article', options)

    expect(status).toBe(400)
    expect(body).toMatchObject({ success: false, error: expect.stringContaining(message) })
  })

  test('user agent names are allowed', async () => {
    expect((await fixture.scrape('/article', { origin: 'js-sdk@4', integration: 'mine' })).status).toBe(200)
  })
})
