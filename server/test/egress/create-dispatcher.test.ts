import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fetch } from 'undici'
import { openEgress, type Egress } from '../../src/egress/egress.ts'
import { startSite } from '../../../test/lab/site.ts'
import { selfSigned } from './certificate.ts'
import { startRawServer } from './raw-client.ts'

async function open(allow: readonly string[] = []): Promise<Egress> {
  return openEgress({ allow, log: { debug: () => {}, warn: () => {} } })
}

function dispatcherOf(egress: Egress, tls = {}): ReturnType<Egress['createDispatcher']> {
  const dispatcher = egress.createDispatcher({ agent: { connect: tls } })
  onTestFinished(async () => dispatcher.destroy())
  return dispatcher
}

describe('a request of the server itself', () => {
  test('reaches an allowed address and reuses its connection', async () => {
    await using site = await startSite()
    await using egress = await open(['127.0.0.1'])
    const dispatcher = dispatcherOf(egress)

    const first = await fetch(site.url('/echo?1'), { dispatcher })
    const second = await fetch(site.crossUrl('/echo?2'), { dispatcher })

    expect(await first.json()).toMatchObject({ path: '/echo?1' })
    expect(await second.json()).toMatchObject({ path: '/echo?2' })
  })

  test.each([
    'http://127.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'http://localhost',
    'http://2130706433',
    'https://127.1',
  ])('is blocked for %s', async (origin) => {
    await using victim = await startRawServer()
    await using egress = await open()
    const dispatcher = dispatcherOf(egress)

    await expect(fetch(`${origin}:${victim.port}/`, { dispatcher })).rejects.toMatchObject({
      cause: { code: 'EGRESS_REFUSED', message: expect.stringContaining('the address is not public') },
    })
    expect(victim.connections()).toBe(0)
  })

  test('is blocked when it is redirected to a blocked address', async () => {
    await using site = await startSite()
    await using victim = await startRawServer()
    await using egress = await open([`127.0.0.1:${site.port}`])
    const to = encodeURIComponent(`http://127.0.0.1:${victim.port}/`)

    await expect(fetch(site.url(`/redirect?to=${to}`), { dispatcher: dispatcherOf(egress) })).rejects.toMatchObject({
      cause: { code: 'EGRESS_REFUSED' },
    })
    expect(victim.connections()).toBe(0)
  })

  test('verifies certificates against the requested host name', async () => {
    const server = createHttpsServer(selfSigned, (_request, response) => response.end('secure'))
    onTestFinished(() => server.close().closeAllConnections())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`
    await using egress = await open(['127.0.0.1'])

    const trusted = await fetch(url, { dispatcher: dispatcherOf(egress, { ca: selfSigned.cert }) })

    expect(await trusted.text()).toBe('secure')
    await expect(fetch(url, { dispatcher: dispatcherOf(egress) })).rejects.toMatchObject({
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    })
  })
})
