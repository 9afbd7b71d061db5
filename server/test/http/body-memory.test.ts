import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { BodyMemory } from '../../src/http/body-memory.ts'
import { sendError } from '../../src/http/errors.ts'
import { readParseBody } from '../../src/http/read-parse-body.ts'

test('files of all requests together may take a limited amount of memory', async () => {
  const bodies = new BodyMemory({ limitBytes: 200_000 })
  let total = 0
  const received = Promise.withResolvers<void>()
  await using app = Fastify()
  app.setErrorHandler(sendError)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.post('/', async (request) => {
    using held = bodies.open('red')
    const add = (bytes: number): void => {
      held.add(bytes)
      total += bytes
      if (total >= 60_000) received.resolve()
    }
    return await readParseBody(request, { ...held, add })
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const post = async (bytes: number): Promise<Response> => {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bytes)]), 'a.txt')
    return fetch(url, { method: 'POST', body: form })
  }
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const slow = send({ port, method: 'POST', headers })
  slow.on('error', () => undefined)
  slow.write(Buffer.alloc(60_000))
  await received.promise

  const full = await post(50_000)
  const small = await post(10_000)
  slow.destroy()
  await expect.poll(async () => (await post(50_000)).status).toBe(200)

  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await full.json()).toMatchObject({ code: 'SERVER_BUSY' })
  expect(small.status).toBe(200)
})

test('bytes that were released make room for others', () => {
  const bodies = new BodyMemory({ limitBytes: 200 })
  using held = bodies.open('red')
  held.add(90)
  using other = bodies.open('red')
  expect(() => other.add(20)).toThrow('close to its limit')

  held.release(40)
  other.add(20)
  held[Symbol.dispose]()
  held[Symbol.dispose]()

  other.add(80)
  expect(() => other.add(1)).toThrow('close to its limit')
})

test('a team that sends as much as it can leaves room for others', () => {
  const bodies = new BodyMemory({ limitBytes: 400 })
  using red = bodies.open('red')
  red.add(200)

  using blue = bodies.open('blue')
  using green = bodies.open('green')
  blue.add(100)
  green.add(50)

  expect(() => red.add(1)).toThrow('This team is already sending')
  expect(() => blue.add(1)).toThrow('The server is already receiving')
})
