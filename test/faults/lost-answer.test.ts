import { once } from 'node:events'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { startLab } from '../lab/lab.ts'

/** A TCP proxy to `port` that closes the first connections when the response arrives. */
async function startFlakyProxy(port: number, cuts: number) {
  let left = cuts
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    clients.add(client)
    client.pipe(upstream)
    upstream.on('data', (chunk: Buffer) => {
      if (left === 0) {
        client.write(chunk)
        return
      }
      left -= 1
      client.destroy()
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutsLeft: () => left,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const client of clients) client.destroy()
      await closed
    },
  }
}

test('a creation whose responses are lost creates and bills one session', async () => {
  await using lab = await startLab({ warm: 1 })
  await using sessionDir = await mkdtempDisposable(join(tmpdir(), 'sessions-'))
  await using proxy = await startFlakyProxy(Number(new URL(lab.server.url).port), 2)
  await using bowline = new Bowline({
    baseUrl: proxy.url,
    apiKey: lab.server.apiKey,
    sessionDir: sessionDir.path,
    reaper: false,
  })

  const session = await bowline.sessions.create({ ttl: 60 })

  expect(proxy.cutsLeft()).toBe(0)
  const { sessions } = (await lab.api('GET', '/v2/browser')).body as { sessions: { id: string; status: string }[] }
  expect(sessions.map(({ id, status }) => ({ id, status }))).toEqual([{ id: session.id, status: 'active' }])
  await session.end()
  const { body } = await lab.api('GET', `/v2/browser/${session.id}`)
  expect(body).toMatchObject({ status: 'destroyed', endReason: 'deleted', creditsBilled: 2 })
})

test('a deletion whose response is lost is retried and returns the same bill', async () => {
  await using lab = await startLab({ warm: 1 })
  await using sessionDir = await mkdtempDisposable(join(tmpdir(), 'sessions-'))
  const { id } = await lab.createSession({ ttl: 60 })
  await using proxy = await startFlakyProxy(Number(new URL(lab.server.url).port), 1)
  await using bowline = new Bowline({
    baseUrl: proxy.url,
    apiKey: lab.server.apiKey,
    sessionDir: sessionDir.path,
    reaper: false,
  })

  const bill = await bowline.sessions.delete(id)

  expect(proxy.cutsLeft()).toBe(0)
  const { body } = await lab.api('GET', `/v2/browser/${id}`)
  expect(bill).toMatchObject({
    creditsBilled: body['creditsBilled'],
    sessionDurationMs: body['sessionDurationMs'],
  })
})
