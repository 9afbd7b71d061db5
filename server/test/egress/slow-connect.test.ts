import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { launchBrowser } from '../../src/browsers/launch.ts'
import { attachToTarget } from '../../src/cdp/targets.ts'
import { openEgress, type Egress, type EgressOptions } from '../../src/egress/egress.ts'
import { netErrors } from '../../src/egress/net-errors.ts'
import { openBrowserFixture } from '../browsers/browser-fixture.ts'
import { openRawSocks, openRawTunnel, startRawServer } from './raw-client.ts'
import { failureNamed, openTestProxy } from './open-test-proxy.ts'

const log = { debug: () => {}, warn: () => {} }

/** Connections take until `connect` is called. */
async function openSlow(options: Partial<EgressOptions>): Promise<Egress & { readonly connect: () => void }> {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>()
  const egress = await openEgress({
    log,
    allow: ['127.0.0.1'],
    resolve: async () => promise,
    connectTimeoutMs: 20,
    ...options,
  })
  return { ...egress, connect: () => resolve(['127.0.0.1']) }
}

describe('a connection that takes longer than Chromium waits for a proxy', () => {
  test('of plain http is accepted meanwhile, and gets the response', async () => {
    await using site = await startRawServer((socket) => socket.once('data', () => socket.end('here')))
    await using egress = await openSlow({})
    await using endpoint = await egress.openProxyEndpoint()
    using client = await openRawSocks(endpoint, 'slow.example', site.port)
    client.socket.write('GET / HTTP/1.1\r\n\r\n')

    egress.connect()

    expect((await client.read()).slice(12)).toBe('here')
  })

  test('of plain http times out after the limit of Chromium', async () => {
    await using egress = await openSlow({ slowConnectTimeoutMs: 60 })
    await using endpoint = await egress.openProxyEndpoint()
    using client = await openRawSocks(endpoint, 'slow.example', 80)
    client.socket.write('GET / HTTP/1.1\r\n\r\n')

    expect(await client.read()).toMatch(/504 Gateway Timeout.*slow\.example:80 did not respond within 0\.06 s/s)
  })

  test('of https and of the server itself times out', async () => {
    await using egress = await openSlow({})
    await using endpoint = await egress.openProxyEndpoint()

    using tunnel = await openRawTunnel(endpoint, 'slow.example:443')

    expect(await tunnel.read()).toContain('504 Gateway Timeout')
    await expect(egress.connector.connect({ host: 'slow.example', port: 80 }, 'basic')).rejects.toThrow(
      'slow.example:80 did not respond within 0.02 s',
    )
  })

  test('fails in Chromium with the error of a direct connection', async () => {
    await using host = await openBrowserFixture('shell')
    await using proxy = openTestProxy(async ({ host: name }, _choice, { onSlow } = {}) => {
      onSlow?.()
      throw failureNamed(name)
    })
    await using browser = await launchBrowser(host, { openProxyEndpoint: proxy.openProxyEndpoint })
    const { call } = await attachToTarget(browser.router, browser.parkedTargetId)
    await call('Network.enable')
    const reported: Record<string, unknown> = {}
    for (const netError of netErrors) {
      const { errorText } = await call('Page.navigate', {
        url: `http://${netError.toLowerCase().replaceAll('_', '-')}.example/`,
      })
      reported[netError] = /ERR_\w+/.exec(String(errorText))?.[0]
    }

    expect(reported).toEqual(Object.fromEntries(netErrors.map((each) => [each, each])))
  })
})

test('a request on a connection that Chromium opened in advance, while the host was down, is sent once it is up', async () => {
  const { port } = await startRawServer().then(async (server) => {
    await server[Symbol.asyncDispose]()
    return server
  })
  await using egress = await openEgress({ log, allow: ['127.0.0.1'] })
  await using endpoint = await egress.openProxyEndpoint()
  using early = await openRawSocks(endpoint, '127.0.0.1', port)
  using unlucky = await openRawSocks(endpoint, '127.0.0.1', port)
  // Later than a request that Chromium connects for.
  await sleep(20)
  unlucky.socket.write('GET / HTTP/1.1\r\n\r\n')
  const refusal = await unlucky.read()
  await using _site = await startRawServer((socket) => socket.once('data', () => socket.end('here')), { port })
  early.socket.write('GET / HTTP/1.1\r\n\r\n')

  expect((await early.read()).slice(12)).toBe('here')
  expect(refusal).toContain('ECONNREFUSED')
})
