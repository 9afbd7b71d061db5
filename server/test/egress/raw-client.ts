import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { ProxyEndpoint } from '../../src/egress/proxy-endpoint.ts'

/** A client of a proxy endpoint that sends raw bytes. */
export interface RawClient extends Disposable {
  readonly socket: Socket
  /** Waits until the text contains `part` or the connection ends. Returns the whole text. */
  readonly read: (part?: string) => Promise<string>
}

/** Connects to a proxy endpoint. */
export async function openRawClient(endpoint: ProxyEndpoint): Promise<RawClient> {
  const socket = connect({ host: '127.0.0.1', port: portOf(endpoint), allowHalfOpen: true })
  await once(socket, 'connect')
  let text = ''
  let isOver = false
  let changed = Promise.withResolvers<void>()
  const change = (): void => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const end = (): void => {
    isOver = true
    change()
  }
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    change()
  })
  socket.on('error', end).on('end', end).on('close', end)
  return {
    socket,
    read: async (part) => {
      const isDone = (): boolean => isOver || (part !== undefined && text.includes(part))
      while (!isDone()) await changed.promise
      if (part !== undefined && !text.includes(part)) throw new Error(`it ended after ${JSON.stringify(text)}`)
      return text
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** Requests a SOCKS5 connection, as Chromium does for plain HTTP, and waits for the reply. */
export async function openRawTunnel(endpoint: ProxyEndpoint, target: string): Promise<RawClient> {
  const client = await openRawClient(endpoint)
  client.socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  await client.read('\r\n\r\n')
  return client
}

/** Requests a SOCKS5 connection, as Chromium does for plain HTTP, and waits for the reply. */
export async function openRawSocks(endpoint: ProxyEndpoint, host: string, port: number): Promise<RawClient> {
  const client = await openRawClient(endpoint)
  client.socket.write(Buffer.from([5, 1, 0]))
  await client.read('\u0005\u0000')
  const number = Buffer.alloc(2)
  number.writeUInt16BE(port)
  const name = Buffer.from(host)
  client.socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, name.length]), name, number]))
  await client.read('\u0005\u0000\u0005')
  return client
}

/** The port of a proxy endpoint. */
export function portOf(endpoint: ProxyEndpoint): number {
  return Number(new URL(endpoint.server).port)
}

/** A TCP server that counts its connections. */
export interface RawServer extends AsyncDisposable {
  readonly port: number
  readonly sockets: ReadonlySet<Socket>
  readonly connections: () => number
}

/** Starts a TCP server on a free port, or on the given one. */
export async function startRawServer(
  onConnection: (socket: Socket) => void = () => {},
  { host = '127.0.0.1', port = 0 } = {},
): Promise<RawServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    onConnection(socket)
  })
  server.listen({ port, host, backlog: 1024 })
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
