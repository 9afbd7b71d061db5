import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import type { ServerResponse } from 'node:http'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { ResponseMemory } from '../../src/http/response-memory.ts'
import { sendError } from '../../src/http/errors.ts'
import { registerRoutes, type Call } from '../../src/http/register.ts'
import { validateWith } from '../../src/http/validate.ts'

// More than the buffers of both sockets hold.
const text = 'x'.repeat(40_000_000)

/** Serves documents to teams, which callers name in a header. */
async function listen(limitBytes: number) {
  const app = Fastify({ forceCloseConnections: true })
  app.setValidatorCompiler(validateWith())
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler(sendError)
  let scrapes = 0
  const document = { metadata: { url: 'https://a.example/', statusCode: 200 }, rawHtml: text }
  const handlers = {
    getScrape: async () => ({ success: true as const, data: document }) as never,
    scrape: async () => {
      scrapes += 1
      return { success: true, data: { ...document, rawHtml: '' } } as never
    },
    listSessions: async () => ({ success: true, sessions: [] }) as never,
  }
  registerRoutes(app, handlers, {
    callOf: (request) =>
      ({ key: { teamId: request.headers['team'] }, apiVersion: 'v2', raw: request }) as unknown as Call,
    record: () => undefined,
    responses: new ResponseMemory({ limitBytes }),
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    call: async (method: string, path: string, team: string) => {
      const body = method === 'POST' ? JSON.stringify({ url: 'https://a.example/' }) : null
      const response = await fetch(url + path, { method, body, headers: { team, 'content-type': 'application/json' } })
      return { status: response.status, code: (JSON.parse(await response.text()) as { code?: string }).code }
    },
    scrapes: () => scrapes,
    /** Requests a document without reading it. */
    leaveUnread: async (team: string) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
      socket.write(`GET /v2/scrape/1 HTTP/1.1\r\nHost: a\r\nTeam: ${team}\r\n\r\n`)
      await once(socket, 'readable')
      return socket
    },
    [Symbol.asyncDispose]: async () => app.close(),
  }
}

test('a team that does not read its responses gets no further documents, and is not billed for them', async () => {
  await using server = await listen(1.5 * text.length)
  const unread = [await server.leaveUnread('slow'), await server.leaveUnread('slow')]

  const read = await server.call('GET', '/v2/scrape/1', 'slow')
  const scraped = await server.call('POST', '/v2/scrape', 'slow')
  const sessions = await server.call('GET', '/v2/browser', 'slow')
  const other = await server.call('GET', '/v2/scrape/1', 'other')

  expect([read, scraped]).toEqual([
    { status: 503, code: 'SERVER_BUSY' },
    { status: 503, code: 'SERVER_BUSY' },
  ])
  expect(server.scrapes()).toBe(0)
  expect([sessions.status, other.status]).toEqual([200, 200])
  for (const socket of unread) socket.destroy()
  await expect.poll(async () => (await server.call('POST', '/v2/scrape', 'slow')).status).toBe(200)
})

test('a response is counted until it is sent or its connection closes, once', () => {
  const memory = new ResponseMemory({ limitBytes: 100_000 })
  const response = () => new EventEmitter() as ServerResponse
  const [sent, closed] = [response(), response()]
  memory.holdUntilSent('a', 'x'.repeat(60_000), response())
  memory.holdUntilSent('a', ['x'.repeat(70_000)], sent)
  memory.holdUntilSent('a', { text: 'x'.repeat(70_000) }, closed)
  expect(() => memory.assertRoom('a')).toThrow('have not read')

  sent.emit('finish')
  sent.emit('close')
  memory.assertRoom('a')
  memory.holdUntilSent('a', 'x'.repeat(70_000), response())
  expect(() => memory.assertRoom('a')).toThrow('have not read')

  closed.emit('close')
  memory.assertRoom('a')
})

test('a response whose connection has closed already is not counted', () => {
  const memory = new ResponseMemory({ limitBytes: 1 })

  memory.holdUntilSent('a', 'x'.repeat(100_000), Object.assign(new EventEmitter(), { destroyed: true }) as never)

  memory.assertRoom('a')
})
