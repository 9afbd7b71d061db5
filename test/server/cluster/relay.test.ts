import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createSecureContext } from 'node:tls'
import { afterAll, expect, test } from 'vitest'
import { relayRequest } from '../../../src/server/cluster/relay.ts'
import { selfSigned } from '../egress/certificate.ts'

const world = new AsyncDisposableStack()
afterAll(async () => world.disposeAsync())

/** Lets a server listen on a free port until the end of the file. */
const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  world.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Says something raw to a server that relays everything to the peer at `url`, and answers what it says. */
const sayThrough = async (url: string, words: string): Promise<string> => {
  const relay = createServer((request, response) => {
    relayRequest({ id: 'peer', url }, request, response, () => undefined).catch(() => response.destroy())
  })
  const socket = connect(await listen(relay), '127.0.0.1')
  socket.write(words)
  return text(socket)
}

test.each(['DELETE', 'GET', 'POST'])(
  'the body of a %s in chunks stays a body, whatever it looks like',
  async (method) => {
    const heard: string[] = []
    const peer = createServer((request, response) => {
      void text(request).then((body) => {
        heard.push(`${request.method} ${request.url} ${body}`)
        response.end()
      })
    })
    const inner = 'GET /inner HTTP/1.1\r\nHost: peer\r\n\r\n'

    await sayThrough(
      `http://127.0.0.1:${await listen(peer)}`,
      `${method} /outer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n` +
        `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    )

    expect(heard).toEqual([`${method} /outer ${inner}`])
  },
)

test('a request that names a host of its own goes to the peer all the same', async () => {
  const heard: string[] = []
  const [peer, stranger] = ['peer', 'stranger'].map((name) =>
    createServer((request, response) => {
      heard.push(`${name} ${request.url}`)
      response.end()
    }),
  )
  const named = `http://127.0.0.1:${await listen(stranger!)}`

  await sayThrough(
    `http://127.0.0.1:${await listen(peer!)}`,
    `GET ${named}//v2/browser?a=b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  )

  expect(heard).toEqual(['peer //v2/browser?a=b'])
})

test('a peer behind TLS is known by its own name, whatever the client came by', async () => {
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
