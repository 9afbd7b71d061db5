import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { guardResponses } from '../../src/http/guard-responses.ts'

const timeoutMs = 1000
// More than the buffers of both sockets hold.
const size = 40_000_000

async function listen() {
  const app = Fastify({ forceCloseConnections: true })
  guardResponses(app, timeoutMs)
  app.get('/large', async () => 'x'.repeat(size))
  app.get('/late', async () => {
    await sleep(2 * timeoutMs)
    return 'late'
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    request: (path: string) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
      return socket
    },
    connections: () =>
      new Promise<number>((resolve, reject) => {
        app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
      }),
    [Symbol.asyncDispose]: async () => app.close(),
  }
}

test('a client that stops reading a response is disconnected', async () => {
  await using server = await listen()
  const socket = server.request('/large').pause()
  await once(socket, 'connect')

  await expect.poll(server.connections).toBe(0)
  socket.destroy()
})

test('a client that reads slowly is served', async () => {
  await using server = await listen()
  const socket = server.request('/large')
  let received = 0
  const startedAt = performance.now()
  for await (const chunk of socket) {
    received += (chunk as Buffer).length
    if (received > size) break
    // Slower than the limit for the whole response.
    if (performance.now() - startedAt < 2.2 * timeoutMs) await sleep(6)
  }

  expect(received).toBeGreaterThan(size)
  expect(performance.now() - startedAt).toBeGreaterThan(2 * timeoutMs)
})

test('a response that begins late is sent', async () => {
  await using server = await listen()
  const socket = server.request('/late').setEncoding('utf8')
  const [text] = (await once(socket, 'data')) as [string]

  expect(text).toMatch(/late$/)
  socket.destroy()
})
