import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEvents } from '../../../src/client/read-events.ts'
import type { QueueProgress } from '../../../src/contract/queue-progress.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

/** Asks for a session that writes a profile. */
async function create(lab: Lab, name: string, wait = 0): Promise<Answer> {
  return lab.api('POST', `/v2/browser?wait=${wait}`, { ttl: 60, profile: { name } })
}

/** A request for a session that waits for its profile. */
interface Waiting {
  readonly progress: QueueProgress
  /** Resolves to the id of the session. */
  readonly created: Promise<string>
}

interface QueueOptions {
  readonly wait?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Asks for a session that writes a profile, and resolves when the request waits. */
async function queue(
  lab: Lab,
  name: string,
  { wait = 60, headers = {}, signal = new AbortController().signal }: QueueOptions = {},
): Promise<Waiting> {
  const response = await fetch(`${lab.server.url}/v2/browser?wait=${wait}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${lab.server.apiKey}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ ttl: 60, profile: { name } }),
    signal,
  })
  const queued = Promise.withResolvers<QueueProgress>()
  const created = readEvents(response, { onQueued: queued.resolve, signal }).then(async (last) => {
    const body = (await last.json()) as Answer['body']
    if (!last.ok) throw new Error(JSON.stringify(body))
    return body['id'] as string
  })
  created.then(() => queued.reject(new Error('The request did not wait')), queued.reject)
  return { progress: await queued.promise, created }
}

/** Returns how many requests of a server wait for a profile that is not released meanwhile. */
async function countWaiting(lab: Lab, name: string): Promise<number> {
  const { progress, created } = await queue(lab, name, { wait: 1 })
  // Until it has left the line, it would count as waiting.
  await expect(created).rejects.toThrow('PROFILE_LOCKED')
  return progress.position - 1
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
    const ended: Promise<void>[] = []
    for (const caller of ['first', 'second', 'third']) {
      const { created } = await queue(lab, 'orders')
      ended.push(
        created.then(async (session) => {
          order.push(caller)
          await end(lab, session)
        }),
      )
    }
    expect(order).toEqual([])

    await end(lab, id)
    await Promise.all(ended)

    expect(order).toEqual(['first', 'second', 'third'])
  })

  test('is refused after the wait, and at once without one', async () => {
    const { id } = await lab.createSession({ profile: { name: 'slow' } })

    const [refused, late] = await Promise.all([create(lab, 'slow'), create(lab, 'slow', 1)])

    expect(refused).toMatchObject({ status: 409, body: { code: 'PROFILE_LOCKED' } })
    expect(String(refused.body['hint'])).toContain('`wait`')
    expect(late).toMatchObject({ status: 409, body: { code: 'PROFILE_LOCKED', details: { sessionId: id } } })
    expect(String(late.body['error'])).toMatch(/It was not released within 1 s\.$/)
    await end(lab, id)
  })

  test('has a position in its line', async () => {
    const { id } = await lab.createSession({ profile: { name: 'positions' } })

    const first = await queue(lab, 'positions')
    const second = await queue(lab, 'positions')
    await end(lab, id)
    await end(lab, await first.created)
    await end(lab, await second.created)

    expect([first.progress, second.progress]).toEqual([
      { position: 1, estimatedSeconds: null },
      { position: 2, estimatedSeconds: null },
    ])
  })

  test('is the same for requests with the same idempotency key', async () => {
    const { id } = await lab.createSession({ profile: { name: 'once' } })
    const options = { headers: { 'x-idempotency-key': 'profile-once' } }
    const [first, second] = [await queue(lab, 'once', options), await queue(lab, 'once', options)]

    await end(lab, id)

    expect(await second.created).toBe(await first.created)
  })

  test('is not created for a client that has gone', async () => {
    const { id } = await lab.createSession({ profile: { name: 'gone' } })
    const client = new AbortController()
    const gone = await queue(lab, 'gone', { signal: client.signal })
    const next = await queue(lab, 'gone')

    client.abort(new Error('The client has gone'))
    await expect(gone.created).rejects.toThrow('The client has gone')
    await expect.poll(async () => countWaiting(lab, 'gone'), { timeout: 20_000 }).toBe(1)
    await end(lab, id)

    const created = await next.created
    const { body } = await lab.api('GET', '/v2/browser?profile=gone')
    expect(body['sessions'].map((session: { readonly id: string }) => session.id)).toEqual([created, id])
    await end(lab, created)
  })
})

test('a session waits for a writer on another server, and on another server when its own stops', async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  await using shared = await mkdtempDisposable(join(tmpdir(), 'bowline-blobs-'))
  const options = { databaseUrl: database.url, apiKey: 'profile-key-0123456789abcdef', blobs: shared.path }
  await using far = await startLab(options)
  const near = await startLab(options)
  const { id } = await far.createSession({ profile: { name: 'far' } })
  const waiting = await queue(near, 'far')
  await end(far, id)
  const first = await waiting.created

  const handedOver = await queue(near, 'far')
  const stopped = near[Symbol.asyncDispose]()
  await expect.poll(async () => countWaiting(far, 'far'), { timeout: 20_000 }).toBe(1)
  await end(far, first)

  await end(far, await handedOver.created)
  await stopped
})
