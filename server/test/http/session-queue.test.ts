import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { EventStream } from '../../src/http/event-stream.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

interface Caller {
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly create: (wait?: number, headers?: Readonly<Record<string, string>>) => Promise<Answer>
}

/** Creates a key of a new team. */
async function startCaller(lab: Lab, limits: { credits?: number; maxConcurrency?: number } = {}): Promise<Caller> {
  const team = crypto.randomUUID()
  await lab.api('POST', '/v2/teams', { name: team, ...limits })
  const { body } = await lab.api('POST', '/v2/team/keys', { team })
  const headers = { authorization: `Bearer ${body['key']}`, 'content-type': 'application/json' }
  return {
    id: body['data'].id,
    headers,
    create: async (wait, more = {}) =>
      lab.api('POST', `/v2/browser${wait === undefined ? '' : `?wait=${wait}`}`, { ttl: 60 }, { ...headers, ...more }),
  }
}

async function metric(lab: Lab, name: string): Promise<number> {
  const { body } = await lab.api('GET', '/metrics')
  const line = String(body['text'])
    .split('\n')
    .find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}

async function waitForQueue(lab: Lab, length: number): Promise<void> {
  await expect.poll(async () => metric(lab, 'bowline_session_queue_length')).toBe(length)
}

async function endSession(lab: Lab, id: string): Promise<void> {
  expect((await lab.api('DELETE', `/v2/browser/${id}`)).status).toBe(200)
}

describe('on a full server', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab({ maxSessions: 1 })
  })
  afterAll(async () => lab[Symbol.asyncDispose]())
  afterEach(async () => {
    await waitForQueue(lab, 0)
    for (const { id } of (await lab.api('GET', '/v2/browser?status=active&team=*')).body['sessions'])
      await endSession(lab, id)
  })

  test('keys get sessions in turn, however many requests each has', async () => {
    const [many, few] = [await startCaller(lab), await startCaller(lab)]
    const { id } = await lab.createSession()
    const order: string[] = []
    const created: Promise<void>[] = []
    const ask = async (name: string, caller: Caller, length: number) => {
      created.push(
        caller.create(60).then(async ({ status, body }) => {
          expect(status).toBe(200)
          order.push(name)
          await endSession(lab, body['id'])
        }),
      )
      await waitForQueue(lab, length)
    }
    for (let count = 1; count <= 3; count += 1) await ask('many', many, count)
    await ask('few', few, 4)

    await endSession(lab, id)
    await Promise.all(created)

    expect(order).toEqual(['many', 'few', 'many', 'many'])
  })

  test('a request without `wait` fails at once, with its position, and does not overtake those that wait', async () => {
    const caller = await startCaller(lab)
    const { id } = await lab.createSession({ ttl: 60 })
    const waiting = caller.create(60)
    await waitForQueue(lab, 1)

    const refused = await caller.create()

    expect(refused).toMatchObject({
      status: 429,
      body: {
        code: 'CONCURRENCY_LIMIT',
        details: { limitedBy: 'server', limit: 1, position: 2 },
        hint: expect.stringContaining('?wait=SECONDS'),
      },
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await endSession(lab, id)
    expect((await waiting).status).toBe(200)
  })

  test('a wait that ends without a session fails with position, estimate and `Retry-After`, and is counted', async () => {
    const caller = await startCaller(lab)
    await lab.createSession({ ttl: 60 })
    const name = 'bowline_session_queue_wait_seconds_count{outcome="timeout"}'
    const before = await metric(lab, name)

    const { status, headers, body } = await caller.create(1)

    expect({ status, body }).toMatchObject({
      status: 429,
      body: { code: 'CONCURRENCY_LIMIT', details: { limitedBy: 'server', position: 1 } },
    })
    expect(body['error']).toContain('No slot became free within 1 s')
    expect(body['details'].estimatedSeconds).toBeGreaterThan(0)
    expect(body['details'].estimatedSeconds).toBeLessThanOrEqual(60)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await metric(lab, name)).toBe(before + 1)
    for (const wait of [-1, 301, 0.5]) expect((await caller.create(wait)).status).toBe(400)
  })

  test('a client that accepts events gets its position and the session, or the error', async () => {
    const caller = await startCaller(lab)
    const accept = { accept: 'text/event-stream' }
    const first = await caller.create(60, accept)
    const [event] = eventsOf(first)
    expect(first.headers.get('content-type')).toContain('text/event-stream')
    expect(event).toMatchObject({ event: 'created', data: { success: true } })

    const failed = eventsOf(await caller.create(1, accept))
    const waiting = caller.create(60, accept)
    await waitForQueue(lab, 1)
    await endSession(lab, event!.data['id'])

    expect(failed).toMatchObject([
      { event: 'queued', data: { position: 1, estimatedSeconds: expect.any(Number) } },
      { event: 'error', data: { success: false, code: 'CONCURRENCY_LIMIT', status: 429, details: { position: 1 } } },
    ])
    expect(eventsOf(await waiting)).toMatchObject([
      { event: 'queued' },
      { event: 'created', data: { success: true, cdpUrl: expect.stringContaining('/cdp') } },
    ])
    expect((await caller.create(undefined, accept)).status).toBe(429)
  })

  test.each([{}, { accept: 'text/event-stream' }])(
    'a client that disconnects leaves the queue at once, and no session behind: %o',
    async (accept) => {
      const caller = await startCaller(lab)
      const { id } = await lab.createSession()
      const gone = new AbortController()
      const request = fetch(`${lab.server.url}/v2/browser?wait=60`, {
        method: 'POST',
        headers: { ...caller.headers, ...accept },
        body: '{}',
        signal: gone.signal,
      }).then(async (response) => response.text())
      await waitForQueue(lab, 1)

      gone.abort()

      await expect(request).rejects.toThrow()
      await waitForQueue(lab, 0)
      await endSession(lab, id)
      expect(lab.server.liveSessions()).toBe(0)
    },
  )

  test('requests that wait with the same idempotency key get the same session', async () => {
    const caller = await startCaller(lab)
    const { id } = await lab.createSession()
    const requests = [1, 2].map(async () => caller.create(60, { 'x-idempotency-key': 'once' }))
    await waitForQueue(lab, 2)

    await endSession(lab, id)

    const [first, second] = await Promise.all(requests)
    expect(first).toMatchObject({ status: 200 })
    expect(second?.body['id']).toBe(first?.body['id'])
    expect(lab.server.liveSessions()).toBe(1)
    const other = (await startCaller(lab)).create(60)
    await waitForQueue(lab, 1)
    expect((await caller.create(0, { 'x-idempotency-key': 'once' })).body['id']).toBe(first?.body['id'])
    await endSession(lab, first?.body['id'])
    expect((await other).status).toBe(200)
  })

  test('a team that cannot pay does not wait', async () => {
    const [poor, rich] = [await startCaller(lab, { credits: 0 }), await startCaller(lab)]
    const { id } = await lab.createSession()
    const waiting = rich.create(60)
    await waitForQueue(lab, 1)

    expect(await poor.create(60)).toMatchObject({ status: 402, body: { code: 'INSUFFICIENT_CREDITS' } })

    await endSession(lab, id)
    expect((await waiting).status).toBe(200)
  })

  test('revoking a key ends its waits', async () => {
    const caller = await startCaller(lab)
    await lab.createSession()
    const waiting = caller.create(60)
    await waitForQueue(lab, 1)

    await lab.api('DELETE', `/v2/team/keys/${caller.id}`)

    expect(await waiting).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  })
})

test('a team at its limit waits for its own sessions, and holds up no other team', async () => {
  await using lab = await startLab({ maxSessions: 3 })
  const [limited, other] = [await startCaller(lab, { maxConcurrency: 1 }), await startCaller(lab)]
  const { body: first } = await limited.create()
  const waiting = limited.create(60)
  await waitForQueue(lab, 1)

  expect(await limited.create()).toMatchObject({ status: 429, body: { details: { limitedBy: 'team', position: 2 } } })
  expect((await other.create()).status).toBe(200)
  await endSession(lab, first['id'])

  expect((await waiting).status).toBe(200)
})

test('a server that stops ends all waits at once', async () => {
  const lab = await startLab({ maxSessions: 1 })
  const caller = await startCaller(lab)
  await lab.createSession()
  const waiting = [caller.create(300), caller.create(300, { accept: 'text/event-stream' })]
  await waitForQueue(lab, 2)

  const stopped = lab[Symbol.asyncDispose]()

  const [json, events] = await Promise.all(waiting)
  expect(json).toMatchObject({ status: 503, body: { code: 'DRAINING' } })
  expect(eventsOf(events!).at(-1)).toMatchObject({ event: 'error', data: { code: 'DRAINING', status: 503 } })
  await stopped
})

test('a slot that becomes free on another server is found', async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  const apiKey = 'queue-key-0123456789abcdef'
  await using shared = await mkdtempDisposable(join(tmpdir(), 'bowline-blobs-'))
  const options = { databaseUrl: database.url, apiKey, blobs: shared.path, maxSessions: 1 }
  await using near = await startLab(options)
  await using far = await startLab(options)
  await near.createSession()
  const { id } = await far.createSession()
  const waiting = near.api('POST', '/v2/browser?wait=60', { ttl: 60 })
  await waitForQueue(near, 1)

  await endSession(far, id)

  expect((await waiting).status).toBe(200)
  expect([near.server.liveSessions(), far.server.liveSessions()]).toEqual([1, 1])
})

test('a silent stream of events has comments, so that proxies keep it open', async () => {
  const app = Fastify()
  app.get('/', (request, reply) => new EventStream(request, reply, { commentMs: 10 }).send('queued', { position: 1 }))
  const url = await app.listen()
  const response = await fetch(url)
  let text = ''
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString()
    if (text.split(': waiting').length > 2) break
  }

  expect(text).toMatch(/^event: queued\ndata: \{"position":1\}\n\n(: waiting\n\n)+/)
  await app.close()
})

interface ServerEvent {
  readonly event: string
  readonly data: Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- tests look into answers of every shape
}

function eventsOf({ body }: Answer): ServerEvent[] {
  return [...String(body['text']).matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data) as ServerEvent['data'],
  }))
}
