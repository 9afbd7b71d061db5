import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { interpreterLimits } from './limits.ts'

/** A WebSocket upgrade of code that connects to the CDP of its session. */
export interface CodeUpgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

/** Connects a client to the CDP of the session, with its policy. */
export type ConnectCdp = (upgrade: CodeUpgrade) => Promise<void>

/** The CDP port of an interpreter. Disposing closes it with its connections. */
export interface CdpPort extends AsyncDisposable {
  /** WebSocket URL of the port. */
  readonly url: string
}

/** Options of `openCdpPort`. */
export interface CdpPortOptions {
  /**
   * Listening socket and port of the interpreter's own network. Default: a free port of this
   * machine, whose URL contains a secret.
   */
  readonly exported?: { readonly listener: Server; readonly port: number } | undefined
  /** Version of the browser, such as `Chrome/140.0.0.0`. */
  readonly version: string
  readonly connect: ConnectCdp
}

/** Opens the port on which an interpreter reaches the CDP of its own session, and no other. */
export async function openCdpPort({ exported, version, connect }: CdpPortOptions): Promise<CdpPort> {
  const path = exported === undefined ? `/${randomBytes(16).toString('hex')}` : ''
  const isAllowed = ({ url = '/' }: IncomingMessage): boolean => url === path || url.startsWith(`${path}/`)
  const sockets = new Set<Socket>()
  const http = createServer((request, response) => {
    if (request.url?.replace(/\/$/, '') === `${path}/json/version`) {
      const body = { Browser: version, 'Protocol-Version': '1.3', webSocketDebuggerUrl: urlOf() }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    } else response.writeHead(404).end()
  })
  // Each takes an open file of the server.
  http.maxConnections = interpreterLimits.cdpConnections
  http.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
  })
  http.on('upgrade', (request: IncomingMessage, stream, head: Buffer) => {
    const socket = stream as Socket
    const refuse = (): void => void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    if (isAllowed(request)) connect({ request, socket, head }).catch(refuse)
    else refuse()
  })
  if (exported === undefined) http.listen(0, '127.0.0.1')
  else http.listen(exported.listener)
  await once(http, 'listening')
  const port = exported?.port ?? (http.address() as AddressInfo).port
  const urlOf = (): string => `ws://127.0.0.1:${port}${path}/`
  return {
    url: urlOf(),
    [Symbol.asyncDispose]: async () => {
      http.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
