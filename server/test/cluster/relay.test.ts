import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, Socket, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createSecureContext } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requestPeer, relayRequest } from '../../src/cluster/relay.ts'
import { relayUpgrade } from '../../src/cluster/relay-upgrade.ts'
import { selfSigned } from '../egress/certificate.ts'

const fixture = new AsyncDisposableStack()
afterAll(async () => fixture.disposeAsync())

/** Lets a server listen on a free port until the end of the file. */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  fixture.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Sends raw text to a server that relays to the peer at `url`. Returns the response. */
async function sayThrough(url: string, words: string): Promise<string> {
  const relay = createServer((request, response) => {
    relayRequest({ id: 'peer', url }, request, response, () => undefined).catch(() => response.destroy())
  })
  const socket = connect(await listen(relay), '127.0.0.1')
  socket.write(words)
  return text(socket)
}

test.each(['DELETE', 'GET', 'POST'])(
  'a chunked body of a %s is relayed unchanged, regardless of its contents',
  async (method) => {
    const received: string[] = []
    const peer = createServer((request, response) => {
      void text(request).then((body) => {
        received.push(`${request.method} ${request.url} ${body}`)
        response.end()
      })
    })
    const inner = 'GET /inner HTTP/1.1\r\nHost: peer\r\n\r\n'

    await sayThrough(
      `http://127.0.0.1:${await listen(peer)}`,
      `${method} /outer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n` +
        `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    )

    expect(received).toEqual([`${method} /outer ${inner}`])
  },
)

test('a request with another Host header still goes to the peer', async () => {
  const received: string[] = []
  const [peer, other] = ['peer', 'other'].map((name) =>
    createServer((request, response) => {
      received.push(`${name} ${request.url}`)
      response.end()
    }),
  )
  const named = `http://127.0.0.1:${await listen(other!)}`

  await sayThrough(
    `http://127.0.0.1:${await listen(peer!)}`,
    `GET ${named}//v2/browser?a=b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  )

  expect(received).toEqual(['peer //v2/browser?a=b'])
})

test('the TLS server name is that of the peer, regardless of the host that the client used', async () => {
  const asked: string[] = []
  const peer = createTlsServer({
    ...selfSigned,
    SNICallback: (name, done) => {
      asked.push(name)
      done(null, createSecureContext(selfSigned))
    },
  })

  await sayThrough(
    `https://localhost:${await listen(peer)}`,
    'GET / HTTP/1.1\r\nHost: public.example\r\nConnection: close\r\n\r\n',
  )

  expect(asked).toEqual(['localhost'])
})

/** Limits that detect a hung peer quickly. */
const limits = { responseTimeoutMs: 60_000, probeAfterMs: 10, probeMs: 100 }

/** A request of a client, to relay to a peer. */
function requestOf(method: string): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), {
    method,
    url: '/v2/browser',
    headers: {},
    rawHeaders: ['Host', 'a'],
  })
}

describe('a peer that accepts connections and never responds', () => {
  let url: string
  beforeAll(async () => {
    url = `http://127.0.0.1:${await listen(createServer(() => undefined))}`
  })

  test.each([
    [
      'a relayed request',
      async () => {
        const request = requestOf('GET')
        await relayRequest({ id: 'peer', url }, request, new ServerResponse(request), () => undefined, limits)
      },
    ],
    ['a request made for a client', async () => requestPeer({ id: 'peer', url }, requestOf('POST'), {}, limits)],
    [
      'a WebSocket handshake',
      async () => relayUpgrade({ id: 'peer', url }, requestOf('GET'), new Socket(), Buffer.alloc(0), 100),
    ],
  ])('is unreachable for %s, and the response has `Retry-After`', async (_what, relay) => {
    await expect(relay()).rejects.toMatchObject({ code: 'NODE_UNREACHABLE', status: 502, retryAfterSeconds: 5 })
  })
})

test('a slow peer gets the full timeout of the route', async () => {
  const peer = createServer((request, response) => {
    if (request.url === '/livez') response.end('{}')
    else setTimeout(() => response.end('{"success":true}'), 500)
  })
  const url = `http://127.0.0.1:${await listen(peer)}`

  expect(await requestPeer({ id: 'peer', url }, requestOf('POST'), {}, limits)).toEqual({ success: true })
  await expect(
    requestPeer({ id: 'peer', url }, requestOf('POST'), {}, { ...limits, responseTimeoutMs: 100 }),
  ).rejects.toMatchObject({
    code: 'NODE_UNREACHABLE',
  })
})

test('a response that stalls because its peer hangs is aborted', async () => {
  const peer = createServer((request, response) => {
    if (request.url !== '/livez') response.write('half')
  })
  const url = `http://127.0.0.1:${await listen(peer)}`
  const relay = createServer((request, response) => {
    void relayRequest({ id: 'peer', url }, request, response, () => undefined, limits)
  })

  const answer = await fetch(`http://127.0.0.1:${await listen(relay)}/`)

  await expect(answer.text()).rejects.toThrow('terminated')
})
