import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startServerProcess, type ServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { createAuthFailureLog } from '../../src/http/auth-failures.ts'

test('failed authentication is logged at once, then once a minute for each address, with the number of failures', () => {
  const lines: unknown[] = []
  const note = createAuthFailureLog((facts) => void lines.push(facts))

  for (const nowMs of [0, 1000, 2000, 60_000]) note('10.0.0.1', nowMs)
  note('10.0.0.2', 3000)

  expect(lines).toEqual([
    { audit: 'auth.failed', address: '10.0.0.1', failures: 1 },
    { audit: 'auth.failed', address: '10.0.0.1', failures: 3 },
    { audit: 'auth.failed', address: '10.0.0.2', failures: 1 },
  ])
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
    { audit: 'key.created', keyId: data.id, role: 'member', byKeyId },
    { audit: 'team.created', credits: 5, byKeyId },
    { audit: 'team.updated', maxConcurrency: 3, byKeyId },
    { audit: 'session.deleted', sessionId: session.id, byKeyId },
    { audit: 'key.revoked', keyId: data.id, byKeyId },
  ])
  const token = new URL(session.cdpUrl).searchParams.get('token')
  for (const secret of [key, server.apiKey, token]) expect(server.log()).not.toContain(secret)
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
