import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startServerProcess } from '../../../test/lab/server-process.ts'
import { createAuthFailureLog } from '../../src/http/auth-failures.ts'

test('failed authentication is logged at once, then once a minute for each address, with how often it failed', () => {
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

test('every route that authenticates logs failures, a readiness probe without a key does not', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-auth-'))
  await using server = await startServerProcess({ dataDir: folder.path })
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

  const failures = () =>
    server
      .log()
      .split('\n')
      .filter((line) => line.includes('auth.failed'))
      .map((line) => JSON.parse(line))
  const addresses = ['127.0.1.1', '127.0.1.2', '127.0.1.3', '127.0.1.4', '127.0.1.9']
  await expect.poll(() => failures().map(({ address }) => address)).toEqual(addresses)
})
