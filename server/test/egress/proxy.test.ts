import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { openEgress, type Egress, type EgressOptions } from '../../src/egress/egress.ts'
import { startSite } from '../../../test/lab/site.ts'
import { openRawClient, openRawSocks, openRawTunnel, portOf, startRawServer } from './raw-client.ts'

const silent = { debug: () => {}, warn: () => {} }

async function open(options: Partial<EgressOptions> = {}): Promise<Egress> {
  return openEgress({ log: silent, ...options })
}

/** Sends a plain request through a proxy endpoint and returns the response of the site. */
async function get(endpoint: Awaited<ReturnType<Egress['openProxyEndpoint']>>, url: string): Promise<string> {
  const [, host = '', port = '80', path = '/'] = /^http:\/\/([^/:]+)(?::(\d+))?(.*)$/.exec(url) ?? []
  using client = await openRawSocks(endpoint, host, Number(port))
  client.socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  return (await client.read()).slice(12)
}

describe('a blocked target', () => {
  test('gets a response with the address, the reason and the remedy', async () => {
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()

    const answer = await get(endpoint, 'http://127.0.0.1:8080/secret?token=1')

    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(answer).toContain('127.0.0.1:8080 is refused: the address is not public (loopback)')
    expect(answer).toContain('--allow')
  })

  test('of a tunnel gets the same message', async () => {
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()

    using client = await openRawTunnel(endpoint, '169.254.169.254:443')

    const answer = await client.read()
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(answer).toContain('169.254.169.254:443 is refused: the address is not public (link-local')
    expect(answer).toContain('--allow')
  })

  test('is logged once per browser, as host and port', async () => {
    const lines: object[] = []
    await using egress = await open({
      log: { ...silent, warn: (facts, message) => lines.push({ message, ...facts }) },
    })
    await using endpoint = await egress.openProxyEndpoint()

    await get(endpoint, 'http://10.0.0.1/secret?token=1')
    await get(endpoint, 'http://10.0.0.2/')

    expect(lines).toEqual([
      {
        message: 'egress refused',
        host: '10.0.0.1',
        port: 80,
        reason: '10.0.0.1:80 is refused: the address is not public (private)',
        hint: expect.stringContaining('--allow'),
      },
    ])
  })

  test.each([
    'http://2130706433',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://127.1',
    'http://0',
    'http://x.localhost',
  ])('is detected behind %s', async (origin) => {
    await using site = await startRawServer()
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()

    const answer = await get(endpoint, `${origin}:${site.port}/`)
    using tunnel = await openRawTunnel(endpoint, `${origin.slice(7)}:${site.port}`)

    expect(answer).toContain('403 Forbidden')
    expect(await tunnel.read()).toContain('403 Forbidden')
    expect(site.connections()).toBe(0)
  })

  test('is skipped if the host also has allowed addresses', async () => {
    await using refused = await startRawServer()
    await using open1 = await startRawServer((socket) => socket.end('from the allowed one'), {
      host: '127.0.0.2',
      port: refused.port,
    })
    await using egress = await open({ allow: ['127.0.0.2'], resolve: async () => ['127.0.0.1', '127.0.0.2'] })
    await using endpoint = await egress.openProxyEndpoint()

    using tunnel = await openRawTunnel(endpoint, `two.example:${open1.port}`)

    expect(await tunnel.read()).toContain('from the allowed one')
    expect(refused.connections()).toBe(0)
  })
})

test('a name is resolved once, and the connection uses the checked address', async () => {
  await using victim = await startRawServer()
  await using decoy = await startRawServer((socket) => socket.end('decoy'), { host: '127.0.0.2', port: victim.port })
  const answers = ['127.0.0.2', '127.0.0.1']
  let asked = 0
  await using egress = await open({ allow: ['127.0.0.2'], resolve: async () => [answers[asked++] ?? '127.0.0.1'] })
  await using endpoint = await egress.openProxyEndpoint()

  using first = await openRawTunnel(endpoint, `rebind.example:${victim.port}`)
  expect(await first.read()).toContain('decoy')
  expect(asked).toBe(1)
  using second = await openRawTunnel(endpoint, `rebind.example:${victim.port}`)

  expect(await second.read()).toContain('403 Forbidden')
  expect({ asked, victim: victim.connections(), decoy: decoy.connections() }).toEqual({ asked: 2, victim: 0, decoy: 1 })
})

test('the next address is tried when one does not respond', async () => {
  await using site = await startRawServer((socket) => socket.end('here'), { host: '127.0.0.2' })
  await using egress = await open({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.3', '127.0.0.2'] })
  await using endpoint = await egress.openProxyEndpoint()

  using tunnel = await openRawTunnel(endpoint, `two.example:${site.port}`)

  expect(await tunnel.read()).toContain('here')
})

test("proxy endpoints and the server's own ports cannot be reached through an endpoint, even when loopback is allowed", async () => {
  await using egress = await open({
    allow: ['127.0.0.0/8', '::/0', 'localhost'],
    databases: [{ host: 'localhost', port: 5499 }],
  })
  await using endpoint = await egress.openProxyEndpoint()
  await using other = await egress.openProxyEndpoint()

  for (const port of [portOf(endpoint), portOf(other), 5499]) {
    using tunnel = await openRawTunnel(endpoint, `localhost:${port}`)
    expect(await tunnel.read()).toContain(`port ${port} on this address belongs to the server itself`)
  }
})

test('a process of another user gets no response from an endpoint', async () => {
  await using site = await startSite()
  await using egress = await open({ allow: ['127.0.0.1'] })
  await using endpoint = await egress.openProxyEndpoint({ uid: (process.getuid?.() ?? 0) + 1 })

  expect(egress.isOwnerChecked).toBe(true)
  await expect(openRawSocks(endpoint, '127.0.0.1', site.port)).rejects.toThrow('it ended')
  expect(site.requests.all).toEqual([])
})

test('a process of another user gets no tunnel from an endpoint', async () => {
  let received = ''
  await using site = await startRawServer((socket) => {
    socket.on('data', (chunk: Buffer) => (received += chunk.toString())).write('greeting')
  })
  await using egress = await open({ allow: ['127.0.0.1'] })
  await using endpoint = await egress.openProxyEndpoint({ uid: (process.getuid?.() ?? 0) + 1 })

  using client = await openRawClient(endpoint)
  client.socket.write(`CONNECT 127.0.0.1:${site.port} HTTP/1.1\r\nHost: x\r\n\r\nearly`)

  expect(await client.read()).toBe('')
  expect(received).toBe('')
})

describe('a tunnel', () => {
  test('stays open in one direction after the other has ended', async () => {
    await using site = await startRawServer((socket) => {
      let received = ''
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
      socket.on('end', () => socket.end(`received ${received}`))
    })
    await using egress = await open({ allow: ['127.0.0.1'] })
    await using endpoint = await egress.openProxyEndpoint()
    using tunnel = await openRawTunnel(endpoint, `127.0.0.1:${site.port}`)

    tunnel.socket.end('hello')

    expect(await tunnel.read()).toMatch(/received hello$/)
  })

  test('of plain http passes the end or a reset of the target on after the first request', async () => {
    await using site = await startRawServer((it) => (site.connections() < 3 ? it.end() : it.resetAndDestroy()))
    await using egress = await open({ allow: ['127.0.0.1'] })
    await using endpoint = await egress.openProxyEndpoint()
    const events: string[] = []
    for (const end of ['end', 'error']) {
      using client = await openRawSocks(endpoint, '127.0.0.1', site.port)
      client.socket.on(end, () => events.push(end))
      // The end of the site reaches the proxy before its response to another connection.
      using _other = await openRawSocks(endpoint, '127.0.0.1', site.port)
      client.socket.write('GET / HTTP/1.1\r\n\r\n', () => events.push('request'))
      await client.read()
    }
    expect(events).toEqual(['request', 'end', 'request', 'error'])
  })

  test('applies backpressure to a target that sends faster than the client reads', async () => {
    const chunk = Buffer.alloc(1024 * 1024)
    let written = 0
    await using site = await startRawServer((socket) => {
      const more = (): void => {
        while (written < 200 && !socket.destroyed) {
          written += 1
          if (!socket.write(chunk)) return void socket.once('drain', more)
        }
        socket.end()
      }
      more()
    })
    await using egress = await open({ allow: ['127.0.0.1'] })
    await using endpoint = await egress.openProxyEndpoint()
    using tunnel = await openRawTunnel(endpoint, `127.0.0.1:${site.port}`)
    tunnel.socket.removeAllListeners('data').pause()

    // Without a reader, the buffers of the kernel fill up, and then no more data is sent.
    let before = -1
    while (before !== written) {
      before = written
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const stoppedAt = written
    let received = 0
    tunnel.socket.on('data', (data: Buffer) => (received += data.length)).resume()
    await once(tunnel.socket, 'end')

    expect(stoppedAt).toBeLessThan(100)
    expect(received).toBeGreaterThan(195 * chunk.length)
    expect(written).toBe(200)
  })

  test('is closed on both sides with its endpoint', async () => {
    await using site = await startRawServer((socket) => socket.resume().on('end', () => socket.end()))
    await using egress = await open({ allow: ['127.0.0.1'] })
    const endpoint = await egress.openProxyEndpoint()
    using tunnel = await openRawTunnel(endpoint, `127.0.0.1:${site.port}`)
    const [remote] = [...site.sockets]

    const closed = Promise.all([once(tunnel.socket, 'close'), once(remote!, 'close')])
    tunnel.socket.resume()
    await endpoint[Symbol.asyncDispose]()

    tunnel.socket.end()
    await closed
    await expect(openRawClient(endpoint)).rejects.toThrow('ECONNREFUSED')
  })

  test('works alongside a thousand others', async () => {
    await using site = await startRawServer((socket) => socket.pipe(socket))
    await using egress = await open({ allow: ['127.0.0.1'] })
    await using endpoint = await egress.openProxyEndpoint()
    await using clients = new AsyncDisposableStack()

    const tunnels = await Promise.all(
      Array.from({ length: 1000 }, async () => clients.use(await openRawTunnel(endpoint, `127.0.0.1:${site.port}`))),
    )
    const echoes = await Promise.all(
      tunnels.map(async ({ socket, read }, index) => {
        socket.write(`<${index}>`)
        return read(`<${index}>`)
      }),
    )
    const extra = clients.use(await openRawClient(endpoint))

    expect(echoes).toHaveLength(1000)
    expect(site.connections()).toBe(1000)
    expect(await extra.read()).toBe('')
  })
})

describe('a plain request', () => {
  test('and its response are forwarded unchanged', async () => {
    const request =
      'POST /a?b HTTP/1.1\r\nhOsT: x\r\nContent-Length: 4\r\nX-One:  1\r\nConnection: X-Hop\r\nTE: trailers\r\n\r\nbody'
    const answer = 'HTTP/1.1 200 Odd Words\r\nx-ONE: 1\r\nSet-Cookie: a=b\r\nConnection: close\r\n\r\nhi'
    let received = ''
    await using site = await startRawServer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString()
        if (received.length === request.length) socket.end(answer)
      })
    })
    await using egress = await open({ allow: ['127.0.0.1'] })
    await using endpoint = await egress.openProxyEndpoint()
    using client = await openRawSocks(endpoint, '127.0.0.1', site.port)

    client.socket.write(request)

    expect((await client.read()).slice(12)).toBe(answer)
    expect(received).toBe(request)
  })

  test('can arrive in chunks, for a name or an address of either family', async () => {
    await using site = await startRawServer((socket) => socket.end('here'))
    await using egress = await open({ allow: ['127.0.0.1'] })
    await using endpoint = await egress.openProxyEndpoint()
    const port = [site.port >> 8, site.port & 255]
    const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]

    for (const address of [
      [3, 9, ...Buffer.from('localhost')],
      [1, 127, 0, 0, 1],
      [4, ...mapped],
    ]) {
      using client = await openRawClient(endpoint)
      for (const byte of [5, 2, 2, 0, 5, 1, 0, ...address, ...port]) {
        client.socket.write(Buffer.from([byte]))
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(await client.read()).toMatch(/here$/)
    }
  })

  test.each([
    ['an unsupported SOCKS5 command', [5, 1, 0, 5, 2, 0, 1, 127, 0, 0, 1, 0, 80]],
    ['an unknown SOCKS5 address type', [5, 1, 0, 5, 1, 0, 9, 127, 0, 0, 1, 0, 80]],
    ['another SOCKS version', [5, 1, 0, 4, 1, 0, 1, 127, 0, 0, 1, 0, 80]],
  ])('with %s ends the connection', async (_what, bytes) => {
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()
    using client = await openRawClient(endpoint)

    client.socket.write(Buffer.from(bytes))

    expect(await client.read()).toBe('\u0005\u0000')
  })

  test('that is pipelined and cannot be delivered closes the connection', async () => {
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()
    using client = await openRawSocks(endpoint, '10.0.0.1', 80)

    expect(await client.read()).toHaveLength(12)
  })

  test('to the proxy itself is rejected', async () => {
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()
    using client = await openRawClient(endpoint)

    client.socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')

    expect(await client.read()).toMatch(/^HTTP\/1\.1 400 /)
  })
})

test('bytes and blocked connections are counted per endpoint and in total', async () => {
  await using site = await startSite()
  await using egress = await open({ allow: [`127.0.0.1:${site.port}`] })
  const busy = await egress.openProxyEndpoint()
  await using idle = await egress.openProxyEndpoint()

  const answer = await get(busy, site.url('/'))
  await get(busy, 'http://127.0.0.1:1/')
  await busy[Symbol.asyncDispose]()

  expect(busy.traffic()).toMatchObject({ connections: 2, refused: 1 })
  expect(busy.traffic().receivedBytes).toBeGreaterThan(answer.length)
  expect(idle.traffic()).toEqual({ sentBytes: 0, receivedBytes: 0, connections: 0, refused: 0 })
  expect(egress.traffic()).toEqual(busy.traffic())
})
