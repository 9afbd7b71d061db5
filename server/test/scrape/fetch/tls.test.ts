import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { selfSigned } from '../../egress/certificate.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

const fixture = new AsyncDisposableStack()
let scraping: ScrapeFixture
let url: string

beforeAll(async () => {
  const server = createServer(selfSigned, ({ url: path, headers }, response) => {
    if (path === '/away') {
      response.writeHead(302, { location: url.replace('127.0.0.1', 'localhost') }).end()
      return
    }
    if (path?.startsWith('/back') === true) {
      const location =
        headers.host?.startsWith('localhost') === true ? url : `${url.replace('127.0.0.1', 'localhost')}back`
      response.writeHead(302, { location }).end()
      return
    }
    response.setHeader('content-type', 'text/html')
    response.end(`<h1>Secret</h1><p>Self-signed, referred by ${headers.referer ?? 'none'}.</p>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  fixture.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  scraping = fixture.use(await startScrapeFixture())
})
afterAll(async () => fixture.disposeAsync())

const ways = [
  ['fetched', {}],
  ['rendered', { waitFor: 1 }],
] as const

test.each(ways)('a site without TLS is not reported as a bad certificate, %s', async (_, how) => {
  const { body } = await scraping.scrape('', { url: scraping.site.url('/').replace('http:', 'https:'), ...how })

  expect(body).toMatchObject({
    code: 'SCRAPE_SSL_ERROR',
    error: expect.stringContaining('TLS handshake'),
    hint: expect.stringContaining('`http:`'),
  })
})

test('the session that continues a scrape with skipTlsVerification accepts the certificate, also later', async () => {
  const { metadata } = await scraping.read('', { url, skipTlsVerification: true })
  const path = `/v2/scrape/${metadata['scrapeId']}/interact`

  const { body } = await scraping.lab.api('POST', path, { code: 'await page.reload(); await page.textContent("h1")' })
  await scraping.lab.api('DELETE', path)

  expect(body).toMatchObject({ success: true, result: 'Secret' })
})

describe.each(ways)('a page with a self-signed certificate, %s', (_, how) => {
  test('is rejected with the remedy', async () => {
    const { status, body } = await scraping.scrape('', { url, ...how })

    expect(status).toBe(500)
    expect(body).toMatchObject({ code: 'SCRAPE_SSL_ERROR', hint: expect.stringContaining('skipTlsVerification') })
    expect(body['error']).not.toContain('Node.js')
  })

  test('is scraped with skipTlsVerification', async () => {
    expect((await scraping.read('', { url, skipTlsVerification: true, ...how }))['markdown']).toContain('# Secret')
  })

  test('is scraped with skipTlsVerification and a Referer, which a redirect to another origin loses', async () => {
    const unverified = { skipTlsVerification: true, headers: { Referer: 'https://a.test/?secret' }, ...how }
    const direct = await scraping.read('', { url, ...unverified })
    const elsewhere = await scraping.read('', { url: `${url}away`, ...unverified })

    expect(direct['markdown']).toContain('referred by https://a.test/?secret')
    expect(elsewhere['markdown']).toContain('referred by none')
  })

  test('is scraped with skipTlsVerification, an Origin and a Referer after redirects to another origin and back', async () => {
    const headers = { Origin: 'https://a.test', Referer: 'https://a.test/?secret' }
    const page = await scraping.read('', { url: `${url}back`, skipTlsVerification: true, headers, ...how })

    expect(page['markdown']).toContain('referred by https://a.test/?secret')
  })
})
