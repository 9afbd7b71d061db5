import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { acceptJson } from '../../src/http/accept-json.ts'
import type { AccessOf } from '../../src/http/authorize.ts'
import { BodyMemory } from '../../src/http/body-memory.ts'
import { sendError } from '../../src/http/errors.ts'

const megabyte = 1024 * 1024

/** A server with 8 MB for bodies. The team of a request is its header `x-team`. */
async function listen() {
  const app = Fastify({ bodyLimit: 10 * megabyte, forceCloseConnections: true })
  app.setErrorHandler(sendError)
  const accessOf = ((request) => ({ teamId: String(request.headers['x-team']) })) as AccessOf
  acceptJson(app, { accessOf, bodies: new BodyMemory({ limitBytes: 8 * megabyte }) })
  app.post('/', { config: { auth: 'key' } }, async ({ body }) => ({ length: JSON.stringify(body).length }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const post = async (team: string, bytes: number): Promise<Response> => {
    const headers = { 'content-type': 'application/json', 'x-team': team }
    return fetch(url, { method: 'POST', headers, body: JSON.stringify('x'.repeat(bytes - 2)) })
  }
  /** Sends a part of a body, the rest of which never follows. */
  const sendPart = (team: string, part: string, header: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-Team: ${team}\r\n${header}\r\n\r\n`)
    socket.write(part)
    return socket
  }
  return { post, sendPart, [Symbol.asyncDispose]: async () => app.close() }
}

test('large JSON bodies in transit are limited for each team, and small ones are accepted', async () => {
  await using server = await listen()
  const { post, sendPart } = server
  const part = sendPart('red', 'x'.repeat(3.5 * megabyte), `Content-Length: ${4 * megabyte}`)
  await expect.poll(async () => (await post('red', megabyte)).status).toBe(503)

  const refused = await post('red', megabyte)
  const small = await post('red', 60_000)
  const other = await post('blue', megabyte)
  part.destroy()
  await expect.poll(async () => (await post('red', megabyte)).status).toBe(200)

  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await refused.json()).toMatchObject({
    code: 'SERVER_BUSY',
    error: expect.stringContaining('This team is already sending'),
  })
  expect(await small.json()).toEqual({ length: 60_000 })
  expect(await other.json()).toEqual({ length: megabyte })
})

test('the memory for the chunks of a body counts as well', async () => {
  await using server = await listen()
  const socket = server.sendPart('red', '1\r\nx\r\n'.repeat(20_000), 'Transfer-Encoding: chunked')

  const [answer] = (await once(socket, 'data')) as [Buffer]

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /)
  socket.destroy()
})

test.each([
  ['announced', `Content-Length: ${11 * megabyte}`],
  ['in chunks', 'Transfer-Encoding: chunked'],
])('a body over the limit of its route is refused: %s', async (_how, header) => {
  await using app = Fastify({ bodyLimit: 1000, forceCloseConnections: true })
  app.setErrorHandler(sendError)
  acceptJson(app, { accessOf: (() => ({ teamId: 'red' })) as unknown as AccessOf, bodies: new BodyMemory() })
  app.post('/', { config: { auth: 'key' } }, async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${header}\r\n\r\n`)
  socket.write(`7d0\r\n${'x'.repeat(2000)}\r\n`)

  const [answer] = (await once(socket, 'data')) as [Buffer]

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 [^]*PAYLOAD_TOO_LARGE/)
  socket.destroy()
})
