import { connect, type Socket } from 'node:net'
import { startRawServer, type RawServer } from './raw-client.ts'

/** A proxy that leads every target to one local port and remembers what it was asked for. */
export interface UpstreamServer extends RawServer {
  readonly asked: string[]
}

/** Starts an HTTP proxy that knows CONNECT only. Wrong credentials get 407. */
export async function startHttpUpstream(to: number, credentials?: string): Promise<UpstreamServer> {
  const asked: string[] = []
  const expected = credentials === undefined ? '' : `proxy-authorization: Basic ${btoa(credentials)}`
  const server = await startRawServer((socket) => {
    socket.once('data', (chunk: Buffer) => {
      const head = chunk.toString()
      asked.push(head.split('\r\n')[0] ?? '')
      if (!head.includes(expected)) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      return join(socket, to)
    })
  })
  return { ...server, asked }
}

/** Starts a SOCKS5 proxy without authentication that takes names. */
export async function startSocksUpstream(to: number): Promise<UpstreamServer> {
  const asked: string[] = []
  const server = await startRawServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]))
      socket.once('data', (request: Buffer) => {
        const length = request.readUInt8(4)
        asked.push(`${request.subarray(5, 5 + length).toString()}:${request.readUInt16BE(5 + length)}`)
        socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
        join(socket, to)
      })
    })
  })
  return { ...server, asked }
}

function join(socket: Socket, port: number): void {
  const remote = connect(port, '127.0.0.1')
  remote.on('error', () => socket.destroy()).on('close', () => socket.destroy())
  socket.pipe(remote).pipe(socket)
}
