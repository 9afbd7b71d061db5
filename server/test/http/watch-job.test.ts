import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { storeUnavailable } from '../../src/store/unavailable.ts'
import { ResponseMemory } from '../../src/http/response-memory.ts'
import { Watchers, type WatchDeps } from '../../src/http/watch-job.ts'

// More than the buffers of both sockets hold.
const text = 'x'.repeat(40_000_000)
const job = { id: 'job', kind: 'batch', status: 'scraping', createdAt: new Date(), expiresAt: new Date(), completed: 1 }

/** Serves a running job with one large document. */
async function listen(responses: ResponseMemory, find: () => Promise<object> = async () => job) {
  const events = new EventEmitter()
  const jobs = {
    find,
    documents: async (_job: unknown, { skip }: { readonly skip: number }) =>
      skip === 0 ? { documents: [{ markdown: text, metadata: {} }], pagesRead: 1 } : { documents: [], pagesRead: 0 },
    explainSinglePage: async () => undefined,
    jobEvents: { listen: () => ({ [Symbol.dispose]: () => undefined }) },
  }
  const watchers = new Watchers({
    jobs,
    authenticator: { authenticate: async () => ({ teamId: 'team' }) },
    origin: { baseUrlOf: () => 'http://a.example' },
    responses,
    onError: (error: unknown) => events.emit('error', error),
  } as unknown as WatchDeps)
  const server = createServer()
  server.on('upgrade', (request, socket, head) =>
    watchers.serve({ id: 'job', version: 'v1' }, { request, socket: socket as Socket, head }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    watch: () => new WebSocket(`ws://127.0.0.1:${port}/`, ['key']),
    shutDown: async () => watchers[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: async () => {
      await watchers[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
    },
  }
}

test('clients that do not read the documents of a job keep others of the team from getting more', async () => {
  const responses = new ResponseMemory({ limitBytes: text.length })
  await using server = await listen(responses)
  const unread = server.watch()
  await once(unread, 'open')
  unread.pause()
  await expect.poll(() => isFull(responses)).toBe(true)

  const [code] = await once(server.watch(), 'close')
  unread.terminate()
  await expect.poll(() => isFull(responses)).toBe(false)
  const later = server.watch()
  const [message] = await once(later, 'message')
  later.terminate()

  expect(code).toBe(1013)
  expect((message as Buffer).length).toBeGreaterThan(text.length)
})

test('a database that does not respond for a moment does not end the connection', async () => {
  let reads = 0
  await using server = await listen(new ResponseMemory({ limitBytes: text.length }), async () => {
    reads += 1
    if (reads === 2) throw storeUnavailable(new Error('Connection terminated unexpectedly'))
    return reads > 3 ? { ...job, status: 'completed' } : job
  })

  const [code, reason] = await once(
    server.watch().on('message', () => undefined),
    'close',
  )

  expect([code, String(reason)]).toEqual([1000, '{"type":"done"}'])
})

function isFull(responses: ResponseMemory): boolean {
  try {
    responses.assertRoom('team')
    return false
  } catch {
    return true
  }
}

test('a shutdown closes connections with a reason, including those of clients that read nothing', async () => {
  await using server = await listen(new ResponseMemory({ limitBytes: 3 * text.length }))
  const unread = server.watch()
  await once(unread, 'open')
  unread.pause()
  const client = server.watch()
  await once(client, 'message')
  const closed = once(client, 'close')

  await server.shutDown()
  const [code, reason] = await closed
  unread.terminate()

  const error = 'This server is shutting down. The job continues: connect again.'
  expect([code, JSON.parse(String(reason))]).toEqual([1012, { type: 'error', error }])
})
