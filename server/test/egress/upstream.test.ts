import type { Socket } from 'node:net'
import { fetch } from 'undici'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { openEgress, type Egress, type EgressOptions } from '../../src/egress/egress.ts'
import { tunnelThrough } from '../../src/egress/upstream.ts'
import type { UpstreamChoice } from '../../src/egress/connector.ts'
import { startSite } from '../../../test/lab/site.ts'
import { openRawTunnel, startRawServer } from './raw-client.ts'
import { startHttpUpstream, startSocksUpstream } from './upstream-server.ts'

const silent = { debug: () => {}, warn: () => {} }

// A public address. No test connects to it.
const publicAddress = '1.1.1.1'

async function resolve(name: string): Promise<readonly string[]> {
  if (name === 'shop.example') return [publicAddress]
  if (name === 'inside.example') return ['10.0.0.7']
  throw new Error('no such name')
}

async function open(options: Partial<EgressOptions>): Promise<Egress> {
  return openEgress({ log: silent, resolve, ...options })
}

/** Opens a tunnel and returns its first bytes: the greeting of the site or the proxy response. */
async function tunnel(egress: Egress, target: string, upstream: UpstreamChoice): Promise<string> {
  await using endpoint = await egress.openProxyEndpoint({ upstream })
  using client = await openRawTunnel(endpoint, target)
  return await client.read()
}

async function startGreeter(text: string) {
  return startRawServer((socket) => socket.end(text))
}

describe('an upstream proxy', () => {
  test('over HTTP gets the host name and its credentials', async () => {
    await using site = await startGreeter('hello')
    await using upstream = await startHttpUpstream(site.port, 'me:pa ss')
    await using egress = await open({ proxyBasic: `http://me:pa%20ss@127.0.0.1:${upstream.port}` })

    const text = await tunnel(egress, 'shop.example:443', 'basic')

    expect(text).toMatch(/^HTTP\/1\.1 200 .*hello$/s)
    expect(upstream.asked).toEqual(['CONNECT shop.example:443 HTTP/1.1'])
  })

  test.each([
    ['SOCKS5', 'socks5://', {}, 'shop.example:443'],
    ['SOCKS5, byte by byte,', 'socks5://', { isSlow: true }, 'shop.example:443'],
    ['SOCKS5 with credentials', 'socks5://me:p%40ss@', { credentials: 'me:p@ss' }, 'shop.example:443'],
    ['SOCKS5 that needs no credentials', 'socks5://me:p%40ss@', {}, 'shop.example:443'],
    ['SOCKS4a', 'socks4://me@', {}, 'me@shop.example:443'],
  ])('over %s gets the host name, and loses no early bytes', async (_, scheme, options, asked) => {
    await using site = await startGreeter('hello')
    await using upstream = await startSocksUpstream(site.port, options)
    await using egress = await open({ proxyBasic: `${scheme}127.0.0.1:${upstream.port}` })

    expect(await tunnel(egress, 'shop.example:443', 'basic')).toMatch(/hello$/)
    expect(upstream.asked).toEqual([asked])
  })

  test.each([
    ['rejects the credentials', 'me:wrong@', { credentials: 'me:p@ss' }, 'the proxy rejected the credentials'],
    ['requires credentials', '', { credentials: 'me:p@ss' }, 'the proxy requires other credentials'],
    ['refuses the target', '', { code: 2 }, 'the proxy returned 2 (not allowed by its rules)'],
  ])('over SOCKS5 that %s fails with the reason of the proxy', async (_, login, options, reason) => {
    await using upstream = await startSocksUpstream(1, options)
    await using egress = await open({ proxyBasic: `socks5://${login}127.0.0.1:${upstream.port}` })

    expect(await tunnel(egress, 'shop.example:443', 'basic')).toContain(
      `The basic proxy could not connect to shop.example:443: ${reason}`,
    )
  })

  test.each([
    ['closes the connection', (socket: Socket) => socket.end(), 'the proxy closed the connection'],
    ['speaks another protocol', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request'), 'does not speak SOCKS5'],
  ])('over SOCKS5 that %s fails with the reason', async (_, serve, reason) => {
    await using upstream = await startRawServer(serve)
    await using egress = await open({ proxyBasic: `socks5://127.0.0.1:${upstream.port}` })

    expect(await tunnel(egress, 'shop.example:443', 'basic')).toContain(reason)
  })

  test('over SOCKS4 that refuses the target fails with the reason of the proxy', async () => {
    const refuse = (socket: Socket): unknown =>
      socket.once('data', () => socket.write(Buffer.from([0, 91, 0, 0, 0, 0, 0, 0])))
    await using upstream = await startRawServer(refuse)
    await using egress = await open({ proxyBasic: `socks4://127.0.0.1:${upstream.port}` })

    expect(await tunnel(egress, 'shop.example:443', 'basic')).toContain('the proxy returned 91 (rejected or failed)')
  })

  test('over SOCKS5 that never responds is closed when the caller aborts', async () => {
    const closed = Promise.withResolvers<void>()
    const greeted = Promise.withResolvers<void>()
    await using upstream = await startRawServer((socket) => {
      socket.once('data', () => greeted.resolve()).once('end', () => closed.resolve())
    })
    const url = new URL(`socks5://127.0.0.1:${upstream.port}`)
    const giveUp = new AbortController()
    const opening = tunnelThrough({ name: 'basic', url }, { host: 'shop.example', port: 443 }, giveUp.signal)
    const failed = expect(opening).rejects.toThrow('enough')
    await greeted.promise
    giveUp.abort(new Error('enough'))

    await failed
    await closed.promise
  })

  test('also carries plain HTTP requests', async () => {
    await using site = await startSite()
    await using upstream = await startHttpUpstream(site.port)
    await using egress = await open({ proxyBasic: `http://127.0.0.1:${upstream.port}` })
    await using dispatcher = closing(egress.createDispatcher())

    const response = await fetch('http://shop.example/echo?a', { dispatcher: dispatcher.agent })

    expect(await response.json()).toMatchObject({ path: '/echo?a' })
    expect(upstream.asked).toEqual(['CONNECT shop.example:80 HTTP/1.1'])
  })

  test.each(['127.0.0.1:80', '[::1]:80', '169.254.169.254:80', 'inside.example:80', 'localhost:80'])(
    'is not used for %s',
    async (target) => {
      await using upstream = await startHttpUpstream(1)
      await using egress = await open({ proxyBasic: `http://127.0.0.1:${upstream.port}` })

      expect(await tunnel(egress, target, 'fallback')).toContain('403 Forbidden')
      expect(upstream.asked).toEqual([])
    },
  )

  test('is used for a name that does not resolve on this machine', async () => {
    await using site = await startGreeter('hello')
    await using upstream = await startHttpUpstream(site.port)
    await using egress = await open({ proxyBasic: `http://127.0.0.1:${upstream.port}` })

    expect(await tunnel(egress, 'far.example:443', 'basic')).toMatch(/hello$/)
  })

  test('is not used for allowed addresses, which are on the local network', async () => {
    await using site = await startGreeter('near')
    await using upstream = await startHttpUpstream(1)
    await using egress = await open({ allow: ['127.0.0.1'], proxyBasic: `http://127.0.0.1:${upstream.port}` })

    expect(await tunnel(egress, `127.0.0.1:${site.port}`, 'basic')).toMatch(/near$/)
    expect(upstream.asked).toEqual([])
  })

  test('that refuses a connection is reported with its response, without its credentials', async () => {
    await using upstream = await startHttpUpstream(1, 'right:one')
    await using egress = await open({ proxyBasic: `http://wrong:secret@127.0.0.1:${upstream.port}` })

    const text = await tunnel(egress, 'shop.example:443', 'basic')

    expect(text).toContain('502 Bad Gateway')
    expect(text).toContain('The basic proxy could not connect to shop.example:443: the proxy returned 407')
    expect(text).not.toContain('secret')
  })
})

describe('the proxy option', () => {
  test.each([
    ['basic', 'basic'],
    ['enhanced', 'enhanced'],
    ['fallback', 'basic'],
  ] as const)('%s uses the %s proxy', async (choice, expected) => {
    await using basicSite = await startGreeter('by basic')
    await using enhancedSite = await startGreeter('by enhanced')
    await using basic = await startHttpUpstream(basicSite.port)
    await using enhanced = await startHttpUpstream(enhancedSite.port)
    await using egress = await open({
      proxyBasic: `http://127.0.0.1:${basic.port}`,
      proxyEnhanced: `http://127.0.0.1:${enhanced.port}`,
    })

    expect(await tunnel(egress, 'shop.example:443', choice)).toMatch(new RegExp(`by ${expected}$`))
  })

  test('fallback uses the enhanced proxy if the basic one does not connect', async () => {
    await using site = await startGreeter('by enhanced')
    await using basic = await startHttpUpstream(1, 'not:these')
    await using enhanced = await startHttpUpstream(site.port)
    await using egress = await open({
      proxyBasic: `http://127.0.0.1:${basic.port}`,
      proxyEnhanced: `http://127.0.0.1:${enhanced.port}`,
    })

    expect(await tunnel(egress, 'shop.example:443', 'fallback')).toMatch(/by enhanced$/)
    expect(basic.asked).toHaveLength(1)
  })

  test('enhanced uses the basic proxy if there is no other', async () => {
    await using site = await startGreeter('by basic')
    await using basic = await startHttpUpstream(site.port)
    await using egress = await open({ proxyBasic: `http://127.0.0.1:${basic.port}` })

    expect(await tunnel(egress, 'shop.example:443', 'enhanced')).toMatch(/by basic$/)
  })
})

test('an invalid proxy URL is rejected without showing it', () => {
  const wrong = 'ftp://me:secret@proxy.example'

  expect(() => parseConfig({ proxyBasic: wrong })).toThrow('`proxyBasic` does not accept the given value')
})

function closing(agent: ReturnType<Egress['createDispatcher']>) {
  return {
    agent,
    [Symbol.asyncDispose]: async () => agent.destroy(),
  }
}
