import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

/** Asks for a session that writes a profile. */
async function create(lab: Lab, name: string, { wait = 0, headers = {} } = {}): Promise<Answer> {
  return lab.api(
    'POST',
    `/v2/browser?wait=${wait}`,
    { ttl: 60, profile: { name } },
    { authorization: `Bearer ${lab.server.apiKey}`, ...headers },
  )
}

async function end(lab: Lab, id: string): Promise<void> {
  expect((await lab.api('DELETE', `/v2/browser/${id}`)).status).toBe(200)
}

describe('a session whose profile another one writes', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab()
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  test('with `wait`, is created when the other has ended, in the order of the requests', async () => {
    const { id } = await lab.createSession({ profile: { name: 'orders' } })
    const order: string[] = []
    const ask = async (caller: string): Promise<void> => {
      const { status, body } = await create(lab, 'orders', { wait: 60 })
      expect(status).toBe(200)
      order.push(caller)
      await end(lab, body['id'])
    }
    const waiting: Promise<void>[] = []
    for (const caller of ['first', 'second', 'third']) {
      waiting.push(ask(caller))
      await sleep(100)
    }
    expect(order).toEqual([])

    await end(lab, id)
    await Promise.all(waiting)

    expect(order).toEqual(['first', 'second', 'third'])
  })

  test('is refused after the wait, and at once without one', async () => {
    const { id } = await lab.createSession({ profile: { name: 'slow' } })

    const [refused, late] = await Promise.all([create(lab, 'slow'), create(lab, 'slow', { wait: 1 })])

    expect(refused).toMatchObject({ status: 409, body: { code: 'PROFILE_LOCKED' } })
    expect(String(refused.body['hint'])).toContain('`wait`')
    expect(late).toMatchObject({ status: 409, body: { code: 'PROFILE_LOCKED', details: { sessionId: id } } })
    expect(String(late.body['error'])).toMatch(/It was not released within 1 s\.$/)
    await end(lab, id)
  })

  test('sends its position as an event', async () => {
    const { id } = await lab.createSession({ profile: { name: 'events' } })
    const waiting = create(lab, 'events', { wait: 60, headers: { accept: 'text/event-stream' } })
    await sleep(100)

    await end(lab, id)

    const text = String((await waiting).body['text'])
    expect(text).toMatch(/^event: queued\ndata: \{"position":1,"estimatedSeconds":null\}\n\n/)
    expect(text).toContain('event: created\n')
  })

  test('is the same for requests with the same idempotency key', async () => {
    const { id } = await lab.createSession({ profile: { name: 'once' } })
    const headers = { 'x-idempotency-key': 'profile-once' }
    const waiting = [1, 2].map(async () => create(lab, 'once', { wait: 60, headers }))
    await sleep(100)

    await end(lab, id)

    const [first, second] = await Promise.all(waiting)
    expect(first).toMatchObject({ status: 200 })
    expect(second).toMatchObject({ status: 200, body: { id: first?.body['id'] } })
  })

  test('is not created for a client that has gone', async () => {
    const { id } = await lab.createSession({ profile: { name: 'gone' } })
    const gone = new AbortController()
    const request = fetch(`${lab.server.url}/v2/browser?wait=60`, {
      method: 'POST',
      headers: { authorization: `Bearer ${lab.server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ profile: { name: 'gone' } }),
      signal: gone.signal,
    })
    const next = sleep(100).then(async () => create(lab, 'gone', { wait: 60 }))
    await sleep(200)

    gone.abort()
    await expect(request).rejects.toThrow()
    await end(lab, id)

    const { body } = await next
    expect((await lab.api('GET', '/v2/browser?status=active')).body['sessions']).toContainEqual(
      expect.objectContaining({ id: body['id'] }),
    )
    await end(lab, body['id'])
  })
})

test('a session waits for a writer on another server, and on another server when its own stops', async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  await using shared = await mkdtempDisposable(join(tmpdir(), 'bowline-blobs-'))
  const options = { databaseUrl: database.url, apiKey: 'profile-key-0123456789abcdef', blobs: shared.path }
  await using far = await startLab(options)
  const near = await startLab(options)
  const { id } = await far.createSession({ profile: { name: 'far' } })
  const waiting = create(near, 'far', { wait: 60 })
  await sleep(300)
  await end(far, id)
  const first = await waiting
  expect(first).toMatchObject({ status: 200 })

  const handedOver = create(near, 'far', { wait: 60 })
  await sleep(300)
  const stopped = near[Symbol.asyncDispose]()
  await sleep(300)
  await end(far, first.body['id'])

  expect(await handedOver).toMatchObject({ status: 200 })
  await stopped
})
