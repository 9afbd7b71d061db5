import { describe, expect, test } from 'vitest'
import { openEgress, type Egress } from '../../src/egress/egress.ts'
import { openRawTunnel, startRawServer } from './raw-client.ts'

async function open({ allow }: { readonly allow: readonly string[] }): Promise<Egress> {
  return openEgress({ allow, log: { debug: () => {}, warn: () => {} } })
}

describe('localhost', () => {
  async function startBoth() {
    const four = await startRawServer((socket) => socket.end('from 127.0.0.1'))
    const six = await startRawServer((socket) => socket.end('from ::1'), { host: '::1', port: four.port })
    return { port: four.port, four, six }
  }

  test.each(['localhost', 'app.localhost', 'LOCALHOST.'])('is ::1 first, as in Chromium: %s', async (name) => {
    const { port, four, six } = await startBoth()
    await using _four = four
    await using _six = six
    await using egress = await open({ allow: ['127.0.0.1', '::1'] })
    await using endpoint = await egress.openProxyEndpoint()

    using tunnel = await openRawTunnel(endpoint, `${name}:${port}`)

    expect(await tunnel.read()).toContain('from ::1')
  })

  test('is 127.0.0.1 if the rules of the server do not permit ::1', async () => {
    const { port, four, six } = await startBoth()
    await using _four = four
    await using _six = six
    await using egress = await open({ allow: ['127.0.0.1'] })
    await using endpoint = await egress.openProxyEndpoint()

    using tunnel = await openRawTunnel(endpoint, `localhost:${port}`)

    expect(await tunnel.read()).toContain('from 127.0.0.1')
    expect(six.connections()).toBe(0)
  })

  test('is 127.0.0.1 if ::1 refuses the connection', async () => {
    await using site = await startRawServer((socket) => socket.end('from 127.0.0.1'))
    await using egress = await open({ allow: ['localhost'] })
    await using endpoint = await egress.openProxyEndpoint()

    using tunnel = await openRawTunnel(endpoint, `localhost:${site.port}`)

    expect(await tunnel.read()).toContain('from 127.0.0.1')
  })
})
