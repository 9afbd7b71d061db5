import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRawServer, type RawServer } from '../../egress/raw-client.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

const page = '<title>Harbour</title><h1>The harbour</h1><p>Boats lie close to the wall.</p>'
const head = `Content-Type: text/html\r\nContent-Length: ${page.length}\r\nConnection: close\r\n`

/** Responses that Chromium accepts. */
const responses: Readonly<Record<string, string>> = {
  '/continue': `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n${head}\r\n${page}`,
  '/two-lengths': `HTTP/1.1 200 OK\r\n${head}Content-Length: ${page.length}\r\n\r\n${page}`,
  '/bare-line-feeds': `HTTP/1.1 200 OK\n${head.replaceAll('\r\n', '\n')}\n${page}`,
}

let fixture: ScrapeFixture
let site: RawServer
beforeAll(async () => {
  fixture = await startScrapeFixture()
  site = await startRawServer((socket) =>
    socket.once('data', (request: Buffer) => {
      const path = request.toString().split(' ')[1] ?? ''
      socket.end(responses[path] ?? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    }),
  )
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

test.each(Object.keys(responses))('a response that only browsers accept is loaded in one: %s', async (path) => {
  const url = `http://127.0.0.1:${site.port}${path}`

  expect((await fixture.read(path, { url }))['markdown']).toContain('# The harbour')
  expect(await fixture.scrape(path, { url, fastMode: true })).toMatchObject({
    status: 500,
    body: { code: 'SCRAPE_SITE_ERROR' },
  })
})
