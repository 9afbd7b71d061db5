import { mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startForeignService, type Answer } from './foreign-service.ts'
import { Bowline } from '../../src/index.ts'

async function startFixture(answer?: Answer) {
  await using undo = new AsyncDisposableStack()
  const service = undo.use(await startForeignService(answer))
  const sessionDir = undo.use(await mkdtempDisposable(join(tmpdir(), 'sessions-'))).path
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, sessionDir, reaper: false })
  const owned = undo.move()
  return { service, bowline, sessionDir, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

test('a session ends with its scope', async () => {
  await using fixture = await startFixture()

  {
    await using session = await fixture.bowline.sessions.create()
    expect(fixture.service.live).toContain(session.id)
  }

  expect(fixture.service.live.size).toBe(0)
})

test('fields that a service omits are undefined or empty', async () => {
  await using fixture = await startFixture()

  await using session = await fixture.bowline.sessions.create()

  expect(session.expiresAt).toBeUndefined()
  expect(session.liveViewUrl).toBe('')
})

test('expiresAt is a Date', async () => {
  const expiresAt = '2030-01-02T03:04:05.000Z'
  await using fixture = await startFixture(
    ({ method }, response) =>
      method === 'POST' && sendJson(response, 200, { success: true, id: 'session-1', cdpUrl: 'ws://x/', expiresAt }),
  )

  await using session = await fixture.bowline.sessions.create()

  expect(session.expiresAt).toEqual(new Date(expiresAt))
})

test('the name and the metadata of a session are in its bill, also if the deletion omits them', async () => {
  const labels = { name: 'Nightly export', metadata: { customer: '4711' } }
  await using fixture = await startFixture(({ method, body }, response) => {
    if (method === 'POST') expect(JSON.parse(body)).toMatchObject(labels)
    const created = { success: true, id: 'session-1', cdpUrl: 'ws://x/', ...labels }
    return method === 'POST' && sendJson(response, 200, created)
  })
  const session = await fixture.bowline.sessions.create({ ttl: 60, ...labels })

  const bill = await session.end()
  const outcome = await fixture.bowline.withSession({ ttl: 60, ...labels }, () => undefined)

  expect(session).toMatchObject(labels)
  expect(bill).toMatchObject({ sessionId: 'session-1', ...labels })
  expect(outcome).toMatchObject(labels)
})

test('a list is filtered by name and metadata', async () => {
  await using fixture = await startFixture(
    ({ method }, response) => method === 'GET' && sendJson(response, 200, { success: true, sessions: [] }),
  )

  await fixture.bowline.sessions.list({ name: 'a b', metadata: { 'x&y': '1', z: '[2]' } })

  const { path } = fixture.service.requests.at(-1)!
  expect([...new URL(path, 'http://x').searchParams]).toEqual([
    ['name', 'a b'],
    ['metadata[x&y]', '1'],
    ['metadata[z]', '[2]'],
  ])
})

test('an updated session has its new end and labels, also if it is updated by its id', async () => {
  const expiresAt = '2030-01-02T03:04:05.000Z'
  await using fixture = await startFixture(({ method, path, body }, response) => {
    if (method !== 'PATCH') return false
    const { name } = JSON.parse(body) as { readonly name: string }
    const session = { success: true, id: path.split('/').at(-1), status: 'active', name, expiresAt }
    return sendJson(response, 200, session)
  })
  const session = await fixture.bowline.sessions.create({ ttl: 60 })

  const summary = await session.update({ ttl: 600, name: 'renamed' })
  expect(summary).toMatchObject({ id: session.id, name: 'renamed' })
  expect(session).toMatchObject({ name: 'renamed', expiresAt: new Date(expiresAt) })
  await fixture.bowline.sessions.update(session.id, { name: 'again', metadata: { step: null } })
  const foreign = await fixture.bowline.sessions.update('elsewhere', { name: 'other' })

  expect(session.name).toBe('again')
  expect(foreign).toMatchObject({ id: 'elsewhere', name: 'other' })
  expect(JSON.parse(fixture.service.requests[1]!.body)).toEqual({ ttl: 600, name: 'renamed' })
  expect(await session.end()).toMatchObject({ name: 'again' })
})

test('ending twice deletes once and resolves to the same bill', async () => {
  await using fixture = await startFixture()
  const session = await fixture.bowline.sessions.create()

  const [first, second] = await Promise.all([session.end(), session.end()])

  expect(second).toBe(first)
  expect(session.bill).toBe(first)
  expect(await fixture.bowline.sessions.create().then((next) => next.end())).not.toBe(first)
  expect(fixture.service.requests.filter(({ method, path }) => method === 'DELETE' && path.endsWith('1'))).toHaveLength(
    1,
  )
})

test('a bill that the deletion omits is read from the session', async () => {
  await using fixture = await startFixture(({ method, path }, response) => {
    if (method === 'DELETE') return sendJson(response, 200, { success: true })
    const bill = { sessionDurationMs: 900, creditsBilled: 2 }
    return (
      path.endsWith('session-1') && sendJson(response, 200, { success: true, id: 'x', status: 'destroyed', ...bill })
    )
  })
  const session = await fixture.bowline.sessions.create()

  await expect(session.end()).resolves.toMatchObject({ sessionDurationMs: 900, creditsBilled: 2 })
})

test('a session ends without a bill if the service reports none', async () => {
  await using fixture = await startFixture(
    ({ method, path }, response) =>
      (method === 'DELETE' && sendJson(response, 200, { success: true })) ||
      (method === 'GET' && sendJson(response, 404, { success: false, error: `No ${path}` })),
  )
  const session = await fixture.bowline.sessions.create()

  await expect(session.end()).resolves.toEqual({ sessionId: 'session-1', endedBy: 'end' })
})

test('ending an expired session is not an error', async () => {
  await using fixture = await startFixture(
    ({ method }, response) =>
      method !== 'POST' && sendJson(response, 404, { success: false, error: 'Browser session not found.' }),
  )
  const session = await fixture.bowline.sessions.create()

  await expect(session.end()).resolves.toEqual({ sessionId: 'session-1', endedBy: 'end' })
})

test('a failed deletion can be retried', async () => {
  let isBroken = true
  await using fixture = await startFixture(
    ({ method }, response) =>
      method === 'DELETE' && isBroken && sendJson(response, 403, { success: false, error: 'broken' }),
  )
  const session = await fixture.bowline.sessions.create()

  await expect(session.end()).rejects.toMatchObject({ code: 'DELETE_FAILED' })
  isBroken = false

  await expect(session.end()).resolves.toMatchObject({ creditsBilled: 2 })
})

test('deleting an unknown id is refused by the service', async () => {
  await using fixture = await startFixture()

  await expect(fixture.bowline.sessions.delete('nobody')).rejects.toMatchObject({ status: 404 })
})

test('deleting a session of this client by its id ends it', async () => {
  await using fixture = await startFixture()
  const session = await fixture.bowline.sessions.create()

  const bill = await fixture.bowline.sessions.delete(session.id)

  expect(session.bill).toBe(bill)
  expect(await session.end()).toBe(bill)
})

test('a session whose creation is in progress when the client is disposed of is deleted', async () => {
  const asked = Promise.withResolvers<() => void>()
  await using fixture = await startFixture(({ method }, response) => {
    if (method !== 'POST') return false
    const answer = { success: true, id: 'session-1', cdpUrl: 'ws://127.0.0.1:1/' }
    asked.resolve(() => void sendJson(response, 200, answer))
    return true
  })
  const bowline = new Bowline({ baseUrl: fixture.service.url, apiKey: fixture.service.apiKey, reaper: false })
  const outcome = expect(bowline.sessions.create()).rejects.toMatchObject({ code: 'ABORTED' })
  const answer = await asked.promise

  await bowline[Symbol.asyncDispose]()
  answer()

  await outcome
  await fixture.service.whenDeleted(1)
  await expect(bowline.sessions.create()).rejects.toMatchObject({ code: 'ABORTED' })
})

test('disposing of the client ends its sessions', async () => {
  await using fixture = await startFixture()

  {
    await using bowline = fixture.bowline
    await Promise.all([bowline.sessions.create(), bowline.sessions.create()])
  }

  expect(fixture.service.live.size).toBe(0)
})

test('a session marker has mode 0600, contains no API key, and is removed with the session', async () => {
  await using fixture = await startFixture()
  const session = await fixture.bowline.sessions.create()
  const [name = ''] = await readdir(fixture.sessionDir)
  const path = join(fixture.sessionDir, name)

  const record = await readFile(path, 'utf8')

  expect(JSON.parse(record)).toMatchObject({ sessionId: 'session-1', baseUrl: fixture.service.url, pid: process.pid })
  expect(record).not.toContain(fixture.service.apiKey)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  await session.end()
  expect(await readdir(fixture.sessionDir)).toEqual([])
})

test('`leaseDir`, the former name of `sessionDir`, still works', async () => {
  await using fixture = await startFixture()
  const { url, apiKey } = fixture.service
  await using bowline = new Bowline({ baseUrl: url, apiKey, leaseDir: fixture.sessionDir, reaper: false })

  await bowline.sessions.create()

  expect(await readdir(fixture.sessionDir)).toHaveLength(1)
})

test('reaping skips the sessions of live processes and of other services', async () => {
  await using fixture = await startFixture()
  await using living = await fixture.bowline.sessions.create()
  const [name = ''] = await readdir(fixture.sessionDir)
  const record = JSON.parse(await readFile(join(fixture.sessionDir, name), 'utf8')) as object
  const dead = { ...record, processStart: 'another life', sessionId: 'elsewhere', baseUrl: 'http://192.0.2.1' }
  await writeFile(join(fixture.sessionDir, 'other.json'), JSON.stringify(dead))
  await writeFile(join(fixture.sessionDir, 'notes.json'), 'not a session marker')

  const report = await fixture.bowline.sessions.reap()

  expect(report).toEqual({ deleted: [], failed: [], skipped: ['elsewhere'] })
  expect(fixture.service.live).toContain(living.id)
  expect(await readdir(fixture.sessionDir)).toHaveLength(3)
})

test('`onDetached` is called once, with the id of the session', async () => {
  await using fixture = await startFixture()
  const detached: string[] = []
  const session = await fixture.bowline.sessions.create({}, { onDetached: (id) => detached.push(id) })

  session.detach()
  session.detach()

  expect(detached).toEqual([session.id])
})

test('a detached session has no session marker and outlives its client', async () => {
  await using fixture = await startFixture()

  {
    await using bowline = fixture.bowline
    await bowline.sessions.create({}, { detached: true })
  }

  expect(await readdir(fixture.sessionDir)).toEqual([])
  expect(fixture.service.live.size).toBe(1)
})

test.each<readonly [string, Answer]>([
  ['closes the connection', ({ method }, response) => method === 'POST' && response.destroy() !== undefined],
  [
    'sends a response that is not JSON',
    ({ method }, response) => method === 'POST' && response.writeHead(200).end('{"success":true,"id"') !== undefined,
  ],
  ['sends no id', ({ method }, response) => method === 'POST' && sendJson(response, 200, { success: true })],
  [
    'responds 500',
    ({ method }, response) => method === 'POST' && sendJson(response, 500, { success: false, error: 'oops' }),
  ],
])('the session of a failed creation is deleted by its idempotency key if the service %s', async (_, answer) => {
  await using service = await startForeignService(answer)
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, retries: 0 })

  await expect(bowline.sessions.create()).rejects.toMatchObject({ name: 'BowlineError' })

  const [creation, deletion] = service.requests
  expect(deletion).toMatchObject({ method: 'DELETE', path: '/v2/browser' })
  expect(JSON.parse(deletion?.body ?? '')).toEqual({ idempotencyKey: creation?.headers['x-idempotency-key'] })
})
