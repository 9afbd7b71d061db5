import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { startRawServer, type RawServer } from './raw-client.ts'

/** A proxy that connects every target to one local port and records the requests. */
export interface UpstreamServer extends RawServer {
  readonly asked: string[]
}

/** An HTTP proxy. */
export interface HttpUpstream extends UpstreamServer {
  /** Heads of the requests, with CONNECT. */
  readonly heads: (readonly string[])[]
}

/** Options of `startHttpUpstream`. */
export interface HttpUpstreamOptions {
  /** Ports to which it opens tunnels; to others it responds with 403. Default: all. */
  readonly tunnelPorts?: readonly number[]
}

/**
 * Starts an HTTP proxy. Wrong credentials get 407. `to`: the local port, or the local ports by that
 * of the target.
 */
export async function startHttpUpstream(
  to: number | Readonly<Record<number, number>>,
  credentials?: string,
  { tunnelPorts }: HttpUpstreamOptions = {},
): Promise<HttpUpstream> {
  const asked: string[] = []
  const heads: (readonly string[])[] = []
  const portFor = (port: number): number => (typeof to === 'number' ? to : to[port]!)
  /** Records a request. Returns whether its credentials are right. */
  const admit = ({ method, url, httpVersion, headers, rawHeaders }: IncomingMessage): boolean => {
    asked.push(`${method} ${url} HTTP/${httpVersion}`)
    const lines = Array.from({ length: rawHeaders.length / 2 }, (_, at) =>
      rawHeaders.slice(2 * at, 2 * at + 2).join(': '),
    )
    heads.push([asked.at(-1)!, ...lines])
    return credentials === undefined || headers['proxy-authorization'] === `Basic ${btoa(credentials)}`
  }
  const http = createServer((incoming, outgoing) => {
    if (!admit(incoming)) {
      outgoing.writeHead(407, { 'proxy-authenticate': 'Basic realm="upstream"' }).end('who?')
      return
    }
    const url = URL.parse(incoming.url ?? '')
    if (url?.protocol !== 'http:') {
      outgoing.writeHead(400).end('not a URL')
      return
    }
    const headers = incoming.rawHeaders.flatMap((name, at, all) => {
      if (at % 2 === 1 || name.toLowerCase() === 'proxy-authorization') return []
      return [name.replace(/^proxy-connection$/i, 'Connection'), all[at + 1]!]
    })
    const options = { port: portFor(Number(url.port || 80)), method: incoming.method!, path: url.pathname + url.search }
    const sent = request({ ...options, host: '127.0.0.1', agent: false, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.rawHeaders)
      response.pipe(outgoing)
    })
    sent.on('error', () => outgoing.destroy())
    incoming.pipe(sent)
  })
  http.on('connect', (incoming, socket: Socket) => {
    const port = Number(/:(\d+)$/.exec(incoming.url ?? '')?.[1])
    if (!admit(incoming)) return socket.end(challenge)
    if (tunnelPorts?.includes(port) === false) return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    return join(socket, portFor(port))
  })
  const server = await startRawServer((socket) => void http.emit('connection', socket))
  return { ...server, asked, heads }
}

const challenge =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="upstream"\r\nContent-Length: 0\r\n\r\n'

/** Responses of a SOCKS proxy. */
export interface SocksOptions {
  /** Required user name and password, as `name:password`. Default: none. */
  readonly credentials?: string
  /** Response code of SOCKS5. Default: 0, success. */
  readonly code?: number
  /** Sends each byte in a separate packet. Default: false. */
  readonly isSlow?: boolean
}

/**
 * Starts a SOCKS proxy, version 4a or 5, that accepts host names. The target's first bytes follow
 * its response in one packet.
 */
export async function startSocksUpstream(to: number, options: SocksOptions = {}): Promise<UpstreamServer> {
  const asked: string[] = []
  const server = await startRawServer((socket) => void serveSocks(socket, to, asked, options).catch(() => undefined))
  return { ...server, asked }
}

async function serveSocks(socket: Socket, to: number, asked: string[], options: SocksOptions): Promise<void> {
  const { credentials, code = 0, isSlow = false } = options
  const read = async (): Promise<Buffer> => (await once(socket, 'data'))[0] as Buffer
  const write = async (...bytes: readonly number[]): Promise<void> => {
    for (const part of isSlow ? bytes.map((byte) => [byte]) : [bytes]) {
      await new Promise((resolve) => void socket.setNoDelay(true).write(Buffer.from(part), resolve))
    }
  }
  const first = await read()
  if (first[0] === 4) {
    const [user = '', name = ''] = first.subarray(8).toString().split('\0')
    asked.push(`${user}@${name}:${first.readUInt16BE(2)}`)
    return joinWith(socket, to, Buffer.from([0, 0x5a, 0, 0, 0, 0, 0, 0]))
  }
  if (credentials === undefined) await write(5, 0)
  else {
    if (!first.subarray(2).includes(2)) return write(5, 255)
    await write(5, 2)
    const login = await read()
    const name = login.subarray(2, 2 + login.readUInt8(1)).toString()
    const isRight = `${name}:${login.subarray(3 + name.length).toString()}` === credentials
    await write(1, isRight ? 0 : 1)
    if (!isRight) return void socket.end()
  }
  const request = await read()
  const length = request.readUInt8(4)
  asked.push(`${request.subarray(5, 5 + length).toString()}:${request.readUInt16BE(5 + length)}`)
  if (code !== 0) return write(5, code, 0, 1, 0, 0, 0, 0, 0, 0)
  if (isSlow) {
    await write(5, 0, 0, 3, 2, 97, 98, 0, 80)
    return join(socket, to)
  }
  return joinWith(socket, to, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
}

/** Joins a socket with a target, and sends its first bytes together with `response`. */
function joinWith(socket: Socket, port: number, response: Buffer): void {
  const remote = connect(port, '127.0.0.1')
  remote.on('error', () => socket.destroy()).on('close', () => socket.destroy())
  remote.once('data', (start: Buffer) => {
    socket.write(Buffer.concat([response, start]))
    socket.pipe(remote).pipe(socket)
  })
}

function join(socket: Socket, port: number): void {
  const remote = connect(port, '127.0.0.1')
  remote.on('error', () => socket.destroy()).on('close', () => socket.destroy())
  socket.pipe(remote).pipe(socket)
}
