import { describe, expect, test } from 'vitest'
import { openEgress, type Egress } from '../../src/egress/egress.ts'
import { openRawClient, openRawSocks, startRawServer, type RawServer } from './raw-client.ts'
import { startHttpUpstream } from './upstream-server.ts'

/** Opens an egress whose names are public, except `local.test`. */
async function open(): Promise<Egress> {
  return openEgress({
    log: { debug: () => {}, warn: () => {} },
    allow: ['127.0.0.1'],
    resolve: async (name) => {
      if (name.startsWith('127.')) return [name]
      return name === 'inside.test' ? ['10.0.0.1'] : [name === 'local.test' ? '127.0.0.1' : '93.184.215.14']
    },
  })
}

/** Starts a site that records what it receives, and responds to each request. */
async function startRecorder(response = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi') {
  const received: string[] = []
  const server: RawServer = await startRawServer((socket) => {
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk.toString('latin1'))
      socket.write(response, 'latin1')
    })
  })
  return { ...server, received }
}

describe('a request with a whole URL', () => {
  test('reaches its target as without a proxy, and the response is passed on unchanged', async () => {
    const odd = 'HTTP/1.1 299 Odd  words\r\nx-ONE:1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi'
    await using site = await startRecorder(odd)
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()
    using client = await openRawClient(endpoint)
    const host = `local.test:${site.port}`
    const rest = 'X-One:  1\r\nCookie: \u00e9\r\n\r\n'

    client.socket.write(
      `PURGE http://${host}/a|b?c HTTP/1.1\r\nhOsT: ${host}\r\nProxy-Connection: keep-alive\r\nproxy-authorization: Basic eA==\r\n${rest}`,
      'latin1',
    )

    await client.read('hi')
    expect(await client.read('hi')).toBe(odd)
    expect(site.received).toEqual([`PURGE /a|b?c HTTP/1.1\r\nhOsT: ${host}\r\nConnection: keep-alive\r\n${rest}`])
  })

  test('can follow one to another target on the same connection', async () => {
    await using first = await startRecorder()
    await using second = await startRecorder('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbye')
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()
    using client = await openRawClient(endpoint)

    client.socket.write(`GET http://127.0.0.1:${first.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)
    await client.read('hi')
    client.socket.write(`GET http://127.0.0.1:${second.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)
    await client.read('bye')
    client.socket.write('GET http://10.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n')

    expect(await client.read()).toContain('403 Forbidden')
    expect([first.connections(), second.connections()]).toEqual([1, 1])
  })
})

describe('a request to a site behind an HTTP proxy of a session', () => {
  test('has its chunks, and only those', async () => {
    await using upstream = await startRecorder()
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()
    await endpoint.applyNetwork({ proxy: { server: `http://local.test:${upstream.port}` } })
    using client = await openRawSocks(endpoint, 'public.test', 8080)
    const body = '4;x=y\r\nbo\r\n\r\n0\r\nTrailer: 1\r\n\r\n'

    client.socket.write(`POST /a HTTP/1.1\r\nHost: public.test\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)
    client.socket.write('GET /b HTTP/1.1\r\nHost: public.test\r\n\r\n')

    await expect.poll(() => upstream.received.join('')).toContain('/b')
    expect(upstream.received.join('')).toBe(
      `POST http://public.test:8080/a HTTP/1.1\r\nHost: public.test\r\nTransfer-Encoding: chunked\r\n\r\n${body}` +
        'GET http://public.test:8080/b HTTP/1.1\r\nHost: public.test\r\n\r\n',
    )
  })

  test.each([
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 1\r\n\r\nx'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['another coding', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['a negative length', 'Content-Length: -1\r\n\r\n'],
    ['a folded header', 'A: b\r\n Content-Length: 1\r\n\r\n'],
    ['a space before the colon', 'Content-Length : 1\r\n\r\n'],
    ['a line feed in a header', 'A: b\nContent-Length: 1\r\n\r\n'],
  ])('is rejected with %s, which proxies understand differently', async (_, rest) => {
    await using upstream = await startRecorder()
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()
    await endpoint.applyNetwork({ proxy: { server: `http://local.test:${upstream.port}` } })
    using client = await openRawClient(endpoint)

    client.socket.write(`POST http://public.test/ HTTP/1.1\r\nHost: public.test\r\n${rest}`)

    expect(await client.read()).toMatch(/^HTTP\/1\.1 400 /)
    expect(upstream.received).toEqual([])
  })

  test.each(['http://good.test\\@inside.test/', 'http://good.test@inside.test/', 'http://inside.test#@good.test/'])(
    'goes to the host that is checked: %s',
    async (url) => {
      await using upstream = await startRecorder()
      await using egress = await open()
      await using endpoint = await egress.openProxyEndpoint()
      await endpoint.applyNetwork({ proxy: { server: `http://local.test:${upstream.port}` } })
      using client = await openRawClient(endpoint)

      client.socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`)

      if (url.includes('\\')) {
        await client.read('hi')
        expect(upstream.received[0]).toMatch(/^GET http:\/\/good\.test\/ /)
      } else {
        expect(await client.read()).toContain('403 Forbidden')
        expect(upstream.received).toEqual([])
      }
    },
  )

  test('that switches to another protocol gets a tunnel', async () => {
    await using site = await startRawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
        socket.pipe(socket)
      })
    })
    await using upstream = await startHttpUpstream(site.port)
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()
    await endpoint.applyNetwork({ proxy: { server: `http://local.test:${upstream.port}` } })
    using client = await openRawClient(endpoint)

    client.socket.write(
      'GET http://public.test/ HTTP/1.1\r\nHost: public.test\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    )
    await client.read('101 Switching Protocols')
    client.socket.write('GET http://inside.test/ HTTP/1.1\r\n\r\n')

    await client.read('GET http://inside.test/')
    expect(upstream.asked).toEqual(['CONNECT public.test:80 HTTP/1.1'])
  })

  test('is received before an upload has ended, if the proxy closes the connection then', async () => {
    await using upstream = await startRawServer((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\nenough', () => socket.destroy()),
      )
    })
    await using egress = await open()
    await using endpoint = await egress.openProxyEndpoint()
    await endpoint.applyNetwork({ proxy: { server: `http://local.test:${upstream.port}` } })
    using client = await openRawSocks(endpoint, 'public.test', 80)

    client.socket.write('POST / HTTP/1.1\r\nHost: public.test\r\nContent-Length: 9000000\r\n\r\nx')
    const answer = client.read('enough')
    client.socket.write(Buffer.alloc(8_000_000))

    expect(await answer).toContain('413 Too Large')
  })
})
