import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab()
})
afterAll(async () => lab[Symbol.asyncDispose]())

/** Sends the text on a connection of its own. Returns all that the server sends until it closes. */
async function send(text: string): Promise<string> {
  const { port, hostname } = new URL(lab.server.url)
  const socket = connect(Number(port), hostname)
    .setEncoding('utf8')
    .on('error', () => undefined)
  const received: string[] = []
  socket.on('data', (chunk: string) => received.push(chunk))
  socket.write(text)
  await once(socket, 'close')
  return received.join('')
}

describe('a request that offers to switch to another protocol than WebSocket is answered as HTTP/1.1:', () => {
  test.each(['h2c', 'TLS/1.0', 'websocket2'])('GET with `Upgrade: %s`', async (protocol) => {
    const answer = await send(
      `GET /v2/team/activity HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${lab.server.apiKey}\r\n` +
        `Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
    )

    expect(answer).toMatch(/^HTTP\/1\.1 200 .*"success":true/s)
  })

  test('POST with a body, as the HTTP client of Java sends it', async () => {
    const body = '{"url":5}'
    const answer = await send(
      `POST /v2/map HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings, close\r\nContent-Length: ${body.length}\r\nHost: a\r\n` +
        `HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nUpgrade: h2c\r\nUser-Agent: Java-http-client/21\r\n` +
        `Authorization: Bearer ${lab.server.apiKey}\r\nContent-Type: application/json\r\n\r\n${body}`,
    )

    expect(answer).toMatch(/^HTTP\/1\.1 400 .*`url` must be a string/s)
  })
})

test('a WebSocket upgrade is found in a list of protocols, in any case', async () => {
  const answer = await send(
    'GET /v2/browser/x/cdp?token=y HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c, WebSocket\r\n\r\n',
  )

  expect(answer).toMatch(/^HTTP\/1\.1 404 .*SESSION_NOT_FOUND/s)
})

describe('a request that is not HTTP gets the error shape of the API:', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['two lengths', 'POST /v2/map HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 400],
    ['headers over 16 kB', `GET /livez HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(17_000)}\r\n`, 431],
  ])('%s', async (_name, text, status) => {
    const answer = await send(text)

    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(JSON.parse(body)).toMatchObject({
      success: false,
      error: expect.any(String),
      code: 'BAD_REQUEST',
      requestId: expect.any(String),
    })
  })
})

test('a body that is too large is answered, and the connection stays open for the rest of it', async () => {
  const { port, hostname } = new URL(lab.server.url)
  const socket = connect(Number(port), hostname)
    .setEncoding('utf8')
    .on('error', () => undefined)
  let received = ''
  socket.on('data', (chunk: string) => (received += chunk))
  const length = 12_000_000
  socket.write(
    `POST /v2/batch/scrape HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${lab.server.apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  )
  await expect.poll(() => received).toContain('HTTP/1.1 413')

  socket.write(Buffer.alloc(length, ' '))
  socket.write('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')

  await once(socket, 'close')
  expect(received).toContain('HTTP/1.1 200')
})

test.each(['/v2/scrape', '/v2/parse', '/v2/browser/extensions'])('a compressed body of %s is refused', async (path) => {
  const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'content-encoding': 'gzip' }

  expect(await lab.api('POST', path, '{}', headers)).toMatchObject({
    status: 415,
    body: { code: 'BAD_REQUEST', error: 'Request bodies with Content-Encoding gzip are not supported' },
  })
})
