import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rendererPids } from '../../../../test/lab/browser-processes.ts'
import { fixedPage, type Page } from '../../../../test/lab/pages/page.ts'
import { makePdf } from '../parse/make-pdf.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

function bytes(
  body: string | Uint8Array,
  type: string,
  more: Readonly<Record<string, string | string[]>> = {},
  status = 200,
): Page {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': type, ...more })
    response.end(body)
  }
}

function line(text: string) {
  return [[{ size: 12, text }]]
}
const html = 'text/html; charset=utf-8'
const dot = `data:image/png;base64,${'iVBORw0KGgo'.repeat(100)}`

/**
 * A response that is compressed once for each coding in its headers, which sites can write in
 * different ways.
 */
function packed(times: number, names: string | string[]): Page {
  let body = Buffer.from('<p>packed</p>')
  for (let round = 0; round < times; round += 1) body = gzipSync(body)
  return ({ response }) => {
    response.setHeader('content-type', html).setHeader('content-encoding', names)
    response.end(body)
  }
}

/** A megabyte that decompresses to a gigabyte. */
const bomb = gzipSync(Buffer.alloc(1_000_000_000, '<p>x</p>'), { level: 1 })

const dropped = Promise.withResolvers<void>()

const pages = {
  '/locked.pdf': bytes(makePdf(line('Secret'), { encrypted: true }), 'application/pdf'),
  '/cut.pdf': bytes(makePdf(line('Report')).subarray(0, 60), 'application/pdf'),
  '/no-pages.pdf': bytes(makePdf([]), 'application/pdf'),
  '/web-page.pdf': bytes('<!doctype html><p>Please log in</p>', 'application/pdf'),
  '/hidden-pdf': bytes(makePdf(line('Found anyway')), html),
  '/image.pdf': bytes(makePdf(line('Not an image')), 'image/png'),
  '/bomb': bytes(bomb, html, { 'content-encoding': 'gzip' }),
  '/not-gzip': bytes('<p>plain</p>', html, { 'content-encoding': 'gzip' }),
  '/cut': ({ response }) => {
    response.writeHead(200, { 'content-type': html, 'content-length': '1000' })
    response.write('<p>The start of a page.', () => void response.destroy())
  },
  '/packed-5-times': packed(5, 'gzip, x-gzip,gzip, gzip, gzip'),
  '/packed-in-two-headers': packed(2, ['gzip', 'gzip']),
  '/packed-6-times': packed(6, 'gzip,'.repeat(6)),
  '/packed-without-end': packed(1, 'br,'.repeat(12_000)),
  '/many-cookies': ({ request, response }) => {
    const { cookie } = request.headers
    const cookies = Array.from({ length: 1500 }, (_, index) => `n${index}=${'v'.repeat(20)}`)
    if (cookie === undefined) response.writeHead(302, { location: '/many-cookies', 'set-cookie': cookies }).end()
    else response.writeHead(200, { 'content-type': html }).end(`<p>${cookie.length} bytes`)
  },
  '/unheard-of': bytes('<p>plain</p>', html, { 'content-encoding': 'constructor, __proto__' }),
  '/nothing': ({ response }) => void response.writeHead(204).end(),
  '/blank': bytes('', html),
  '/two-types': bytes('<h1>Markup</h1>', 'text/plain', { 'content-type': ['text/plain', html] }),
  '/fences': bytes('```a '.repeat(150_000), 'text/css'),
  '/500': bytes('<h1>Out of order</h1>', html, {}, 500),
  '/503': bytes('<h1>Back soon</h1>', html, { 'retry-after': '60' }, 503),
  '/images': fixedPage('Images', `<h1>Pictures</h1><p>Of a dot: <img alt="dot" src="${dot}"> and no more.</p>`),
  '/doomed': fixedPage('Doomed', '<h1>Doomed</h1>'),
  '/silent': ({ response }) => void response.on('close', () => dropped.resolve()),
} satisfies Record<string, Page>

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture({}, pages)
})
afterAll(async () => fixture[Symbol.asyncDispose]())

describe('a PDF', () => {
  test.each([
    ['with a password', '/locked.pdf', 'PDF_ENCRYPTED', 'password'],
    ['cut off', '/cut.pdf', 'PDF_INVALID', 'malformed'],
    ['without pages', '/no-pages.pdf', 'PDF_INVALID', 'pages'],
    ['that is a web page', '/web-page.pdf', 'PDF_INVALID', '<!doctype html>'],
  ])('%s is rejected with the reason', async (_, path, code, reason) => {
    const { status, body } = await fixture.scrape(path)

    expect(status).toBe(422)
    expect(body).toMatchObject({ success: false, code, error: expect.stringContaining(reason) })
  })

  test.each([
    ['HTML', '/hidden-pdf', 'Found anyway'],
    ['an image', '/image.pdf', 'Not an image'],
  ])('declared as %s is parsed', async (_, path, text) => {
    expect((await fixture.read(path))['markdown']).toContain(text)
  })
})

test('a style sheet of code fences is fenced', async () => {
  expect((await fixture.read('/fences'))['markdown']).toMatch(/^````css\n```a /)
})

test.each([
  ['fetched, without content', '/nothing', {}, 204],
  ['fetched, of no bytes', '/blank', {}, 200],
  ['rendered, of no bytes', '/blank', { waitFor: 1 }, 200],
])('an empty page has a warning: %s', async (_, path, options, status) => {
  expect(await fixture.read(path, options)).toMatchObject({
    markdown: '',
    warning: `The page is empty: the site responded with status ${status} and no content.`,
  })
})

test.each([
  ['fetched', {}],
  ['rendered', { waitFor: 1 }],
])('the last of two content types counts, %s', async (_, options) => {
  expect(await fixture.read('/two-types', options)).toMatchObject({
    markdown: '# Markup\n',
    metadata: { contentType: html },
  })
})

test('a page has no attributes inherited from Object', async () => {
  const formats = [{ type: 'attributes', selectors: [{ selector: 'p', attribute: 'constructor' }] }]

  expect((await fixture.read('/images', { formats }))['attributes']).toEqual([
    { selector: 'p', attribute: 'constructor', values: [] },
  ])
})

describe('a response with a wrong Content-Encoding', () => {
  test('that unpacks to a gigabyte is truncated at 20 MB', async () => {
    const page = await fixture.read('/bomb', { formats: ['rawHtml'] })

    expect(page['rawHtml']).toHaveLength(20_000_000)
    expect(page['warning']).toContain('20 MB')
  })

  test('that the body does not have is named', async () => {
    expect((await fixture.scrape('/not-gzip')).body['error']).toMatch(
      /^The response of 127\.0\.0\.1:\d+ cannot be decompressed: incorrect header check$/,
    )
  })

  test('that is unknown is returned unchanged', async () => {
    expect((await fixture.read('/unheard-of'))['markdown']).toContain('plain')
  })

  test.each(['/packed-5-times', '/packed-in-two-headers'])('of up to five layers is decompressed: %s', async (path) => {
    expect((await fixture.read(path))['markdown']).toBe('packed\n')
  })

  test.each(['/packed-6-times', '/packed-without-end'])('of more than five layers is rejected: %s', async (path) => {
    const before = process.cpuUsage()
    const { body } = await fixture.scrape(path)

    expect(body).toMatchObject({ code: 'SCRAPE_SITE_ERROR', error: expect.stringContaining('content codings') })
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1)
  })
})

test.each([
  ['fetched, with an invalid encoding', '/not-gzip', {}],
  ['rendered, with an invalid encoding', '/not-gzip', { waitFor: 1 }],
  ['fetched, of which the end is missing', '/cut', {}],
  ['rendered, of which the end is missing', '/cut', { waitFor: 1 }],
])('a page fails its scrape if it is %s', async (_, path, options) => {
  const { status, body } = await fixture.scrape(path, options)

  expect([status, body['code']]).toEqual([500, 'SCRAPE_SITE_ERROR'])
})

test('a site that sets many cookies gets back as many as a browser would send', async () => {
  expect((await fixture.read('/many-cookies'))['markdown']).toMatch(/^4\d{3} bytes\n$/)
})

test.each([
  ['/500', 500],
  ['/503', 503],
])('a page with status %s is returned with the status in its metadata', async (path, statusCode) => {
  const { markdown, metadata } = await fixture.read(path)

  expect(markdown).toMatch(/Out of order|Back soon/)
  expect(metadata).toMatchObject({ statusCode, error: expect.stringContaining(String(statusCode)) })
})

test('inline images lose their data, unless `removeBase64Images` is false', async () => {
  const without = await fixture.read('/images')
  const whole = await fixture.read('/images', { removeBase64Images: false })

  expect(without['markdown']).toContain('![dot](')
  expect(without['markdown']).not.toContain('iVBORw0KGgo')
  expect(whole['markdown']).toContain(`![dot](${dot})`)
})

test('a crashed tab fails its scrape, and the next page is rendered', async () => {
  const scrape = fixture.scrape('/doomed', { waitFor: 20_000, timeout: 40_000 })
  await fixture.site.requests.waitFor('/doomed')

  for (const pid of rendererPids(fixture.lab.dataDir)) process.kill(pid, 'SIGKILL')

  expect((await scrape).body).toMatchObject({ success: false, error: expect.stringContaining('crashed') })
  expect((await fixture.read('/shell'))['markdown']).toContain('Rendered')
})

test('a caller that disconnects stops the scrape and its request to the site', async () => {
  const stop = new AbortController()
  const gone = fetch(`${fixture.lab.server.url}/v2/scrape`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fixture.lab.server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: fixture.site.url('/silent'), timeout: 60_000 }),
    signal: stop.signal,
  })
  await fixture.site.requests.waitFor('/silent')

  stop.abort()

  await expect(gone).rejects.toThrow('aborted')
  await dropped.promise
})
