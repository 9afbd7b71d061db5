import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { z } from 'zod'
import { auditLogResponse } from '../../../src/contract.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { startServerProcess, type ServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { createAuthFailureLog } from '../../src/http/auth-failures.ts'

test('failed authentication is logged at once, then once a minute for each address, with the number of failures', () => {
  const lines: unknown[] = []
  const note = createAuthFailureLog((facts) => void lines.push(facts))

  for (const nowMs of [0, 1000, 2000, 60_000]) note({ address: '10.0.0.1', requestId: `r${nowMs}` }, nowMs)
  note({ address: '10.0.0.2', requestId: 'other' }, 3000)

  expect(lines).toEqual([
    { address: '10.0.0.1', requestId: 'r0', failures: 1 },
    { address: '10.0.0.1', requestId: 'r60000', failures: 3 },
    { address: '10.0.0.2', requestId: 'other', failures: 1 },
  ])
})

test('a wall clock that steps back does not silence the log', () => {
  const lines: unknown[] = []
  const note = createAuthFailureLog((facts) => void lines.push(facts))
  const startMs = performance.now()

  note({ address: '10.0.0.1', requestId: undefined })
  const now = vi.spyOn(performance, 'now').mockReturnValue(startMs + 61_000)
  const wallClock = vi.spyOn(Date, 'now').mockReturnValue(0)
  note({ address: '10.0.0.1', requestId: undefined })
  for (const each of [now, wallClock]) each.mockRestore()

  expect(lines).toHaveLength(2)
})

test('of failures from many addresses, 100 a minute are logged, and the number of the others after it', () => {
  const lines: unknown[] = []
  const note = createAuthFailureLog((facts) => void lines.push(facts))

  for (let host = 0; host < 150; host += 1) note({ address: `10.0.0.${host}`, requestId: undefined }, 0)
  note({ address: '10.0.1.1', requestId: 'later' }, 60_000)

  expect(lines).toHaveLength(101)
  expect(lines.at(-1)).toEqual({ address: '10.0.1.1', requestId: 'later', failures: 1, unlogged: 50 })
})

const undo = new AsyncDisposableStack()
let server: ServerProcess
beforeAll(async () => {
  const folder = undo.use(await mkdtempDisposable(join(tmpdir(), 'bowline-auth-')))
  const database = undo.use(await (await sharedPostgres()).createDatabase())
  server = undo.use(await startServerProcess({ dataDir: folder.path, env: { DATABASE_URL: database.url } }))
})
afterAll(() => undo.disposeAsync())

function audits(): readonly Readonly<Record<string, unknown>>[] {
  const lines = server.log().split('\n')
  return lines.filter((line) => line.includes('"audit"')).map((line) => JSON.parse(line))
}

test('changes of keys, teams and sessions of other teams are logged with their author and without secrets', async () => {
  const { body: created } = await server.api('POST', '/v2/team/keys', { team: 'others', name: 'a name' })
  const { key, data } = created
  await server.api('POST', '/v2/teams', { name: 'third', credits: 5 })
  await server.api('PATCH', '/v2/teams/others', { maxConcurrency: 3 })
  const response = await fetch(new URL('/v2/browser', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const session = (await response.json()) as { id: string; cdpUrl: string }
  const own = await server.create()
  for (const id of [own.id, session.id, session.id]) await server.api('DELETE', `/v2/browser/${id}`)
  await server.api('DELETE', `/v2/team/keys/${data.id}`)

  const byKeyId = expect.any(String)
  await expect.poll(audits).toMatchObject([
    { audit: 'team.created', byKeyId },
    { audit: 'key.created', keyId: data.id, role: 'member', byKeyId },
    { audit: 'team.created', credits: 5, byKeyId },
    { audit: 'team.updated', maxConcurrency: 3, byKeyId },
    { audit: 'session.deleted', sessionId: session.id, byKeyId },
    { audit: 'key.revoked', keyId: data.id, byKeyId },
  ])
  const token = new URL(session.cdpUrl).searchParams.get('token')
  const { body: entries } = await server.api('GET', '/v2/audit-log?limit=1000')
  for (const secret of [key, server.apiKey, token]) {
    expect(server.log()).not.toContain(secret)
    expect(JSON.stringify(entries)).not.toContain(secret)
  }
  const by = { keyId: expect.any(String), name: 'bootstrap', team: 'default' }
  const requestId = expect.stringMatching(/^[0-9a-f-]{36}$/)
  const from = { by, address: '127.0.0.1', requestId }
  expect(entries['data']).toMatchObject([
    { action: 'key.revoked', team: 'others', ...from, details: { keyId: data.id } },
    { action: 'session.deleted', team: 'others', ...from, details: { sessionId: session.id } },
    { action: 'team.updated', team: 'others', ...from, details: { maxConcurrency: 3 } },
    { action: 'team.created', team: 'third', ...from, details: { name: 'third', credits: 5 } },
    { action: 'key.created', team: 'others', ...from, details: { keyId: data.id, name: 'a name', role: 'member' } },
    { action: 'team.created', team: 'others', ...from, details: { name: 'others' } },
  ])
})

test('the audit log is paged and filtered, and only admin keys may read it', async () => {
  const { body: created } = await server.api('POST', '/v2/team/keys', { team: 'readers' })
  await server.api('PATCH', '/v2/teams/readers', { maxConcurrency: 1 })
  const read = async (query: string) => auditLogResponse.parse((await server.api('GET', `/v2/audit-log?${query}`)).body)
  const actionsOf = ({ data }: z.output<typeof auditLogResponse>) => data.map(({ action }) => action)

  const first = await read('team=readers&limit=1')
  const second = await read(`team=readers&limit=1&cursor=${first.cursor}`)
  const createdAt = second.data[0]?.createdAt
  const denied = await fetch(new URL('/v2/audit-log', server.url), {
    headers: { authorization: `Bearer ${created['key']}` },
  })

  const third = await read(`team=readers&limit=1&cursor=${second.cursor}`)

  expect([first, second, third].map(actionsOf)).toEqual([['team.updated'], ['key.created'], ['team.created']])
  expect(third.cursor).toBeUndefined()
  expect(actionsOf(await read('team=readers&action=key.created'))).toEqual(['key.created'])
  expect(actionsOf(await read(`team=readers&to=${createdAt}`))).toEqual(['team.created'])
  expect(denied.status).toBe(403)
})

test('requests that a key or token does not allow are recorded once a minute, with their route and key', async () => {
  const { body: created } = await server.api('POST', '/v2/team/keys', { team: 'curious' })
  const { id, cdpUrl } = await server.create()
  const headers = { authorization: `Bearer ${created['key']}` }
  const statuses = []
  for (const path of [`/v2/browser/${id}`, '/v2/audit-log']) {
    statuses.push((await fetch(new URL(path, server.url), { headers })).status)
  }
  const control = new URL(cdpUrl).searchParams.get('token')
  const socket = new WebSocket(new URL(`/live/${id}/socket?token=${control}`, server.url.replace('http', 'ws')))
  const [refusal] = await once(socket, 'error')
  await server.api('DELETE', `/v2/browser/${id}`)

  expect([...statuses, String(refusal)]).toEqual([403, 403, expect.stringContaining('403')])
  const denials = async () => (await server.api('GET', '/v2/audit-log?action=access.denied&limit=2')).body['data']
  await expect.poll(denials).toMatchObject([
    { address: '127.0.0.1', details: { method: 'GET', route: '/live/{id}/socket', denials: 1 } },
    { by: { keyId: created['data'].id, team: 'curious' }, details: { method: 'GET', route: '/v2/browser/:id' } },
  ])
  expect(server.log()).not.toContain(control)
})

test('changes of the webhook secret are recorded without it', async () => {
  const { body } = await server.api('POST', '/v2/team/webhooks/secret')
  await server.api('DELETE', '/v2/team/webhooks/secret')
  const { body: entries } = await server.api('GET', '/v2/audit-log?limit=2')

  expect(entries['data']).toMatchObject([
    { action: 'webhook-secret.deleted', team: 'default', by: { name: 'bootstrap' } },
    { action: 'webhook-secret.set', team: 'default', by: { name: 'bootstrap' } },
  ])
  expect(server.log()).not.toContain(body['secret'])
})

test('deleting, importing, exporting and rolling back a profile is recorded, without its cookies', async () => {
  const path = '/v2/browser/profiles/shop'
  const storage = { origin: 'https://shop.example', localStorage: [{ name: 'login', value: 'a-stored-login' }] }
  for (const origins of [[storage], []]) await server.api('PUT', `${path}/storage-state`, { origins })
  await server.api('GET', `${path}/storage-state`)
  await server.api('POST', `${path}/versions/1/rollback`)
  await server.api('DELETE', path)
  const { status } = await server.api('DELETE', path)
  const { body: entries } = await server.api('GET', '/v2/audit-log?limit=5')

  const from = { team: 'default', by: { name: 'bootstrap' }, address: '127.0.0.1' }
  expect(status).toBe(404)
  expect(entries['data']).toMatchObject([
    { action: 'profile.deleted', ...from, details: { profileName: 'shop' } },
    { action: 'profile.rolled-back', ...from, details: { profileName: 'shop', version: 1 } },
    { action: 'profile.exported', ...from, details: { profileName: 'shop' } },
    { action: 'profile.imported', ...from, details: { profileName: 'shop', version: 2 } },
    { action: 'profile.imported', ...from, details: { profileName: 'shop', version: 1 } },
  ])
  expect(JSON.stringify(entries)).not.toContain('a-stored-login')
  expect(server.log()).not.toContain('a-stored-login')
})

test('every route that authenticates logs failures, a readiness probe without a key does not', async () => {
  const session = '/v2/browser/00000000-0000-4000-8000-000000000000'
  const paths = ['/v2/browser', `${session}/files`, `${session}/recordings/player`, '/metrics']
  for (const [index, path] of ['/readyz', ...paths].entries()) {
    const request = get(new URL(path, server.url), { localAddress: `127.0.1.${index}` })
    const [response] = await once(request, 'response')
    response.resume()
    expect(response.statusCode).toBe(index === 0 ? 200 : 401)
  }
  const watcher = new WebSocket(new URL('/v2/crawl/1', server.url.replace('http', 'ws')), {
    localAddress: '127.0.1.9',
  })
  expect((await once(watcher, 'close'))[0]).toBe(3000)

  const failures = () => audits().filter(({ audit }) => audit === 'auth.failed')
  const addresses = ['127.0.1.1', '127.0.1.2', '127.0.1.3', '127.0.1.4', '127.0.1.9']
  await expect.poll(() => failures().map(({ address }) => address)).toEqual(addresses)
})

test('the id of a request is that of its client if usable, and is in the response, the error and the log', async () => {
  const call = async (id: string) => {
    const response = await fetch(new URL('/v2/browser/none', server.url), {
      headers: { authorization: 'Bearer wrong', 'x-request-id': id },
    })
    return [response.headers.get('x-request-id'), ((await response.json()) as { requestId: string }).requestId]
  }
  expect(await call('order-4711')).toEqual(['order-4711', 'order-4711'])
  const [made, inBody] = await call('two words')
  expect(made).toMatch(/^[0-9a-f-]{36}$/)
  expect(inBody).toBe(made)
  await expect
    .poll(() => audits().find(({ reqId }) => reqId === 'order-4711'))
    .toMatchObject({ audit: 'auth.failed', address: '127.0.0.1' })
})
