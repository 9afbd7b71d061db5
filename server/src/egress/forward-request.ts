import {
  Agent,
  request as sendRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import type { EndpointConnector } from './endpoint-connector.ts'
import type { HostPort } from './host-port.ts'
import { refuseRequest } from './refusal.ts'
import { badRequest } from './tunnel.ts'

/**
 * Forwards the plain http requests of one connection of a browser, such as `GET http://host/path`.
 * Targets get them as they would without a proxy, over tunnels that are kept for the next requests.
 */
export class RequestForwarder {
  readonly #connector: EndpointConnector
  readonly #agent: TunnelAgent
  readonly #closed = new AbortController()
  /** `Proxy-Authorization` header of the current request: a connection has one at a time. */
  #authorization: string | undefined

  constructor(connector: EndpointConnector, socket: Socket) {
    this.#connector = connector
    this.#agent = new TunnelAgent(async (target) =>
      connector.connect(target, { authorization: this.#authorization, signal: this.#closed.signal }),
    )
    socket.once('close', () => {
      this.#closed.abort()
      this.#agent.destroy()
    })
  }

  /** Sends a request to its target, and the response back. */
  forward(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const url = URL.parse(request.url ?? '')
    if (url?.protocol !== 'http:') return void socket.end(badRequest, () => socket.destroy())
    const target = { host: url.hostname.replaceAll(/[[\]]/g, ''), port: Number(url.port || 80) }
    this.#authorization = request.headers['proxy-authorization']
    const sent = sendRequest({
      ...target,
      agent: this.#agent,
      method: request.method ?? 'GET',
      path: pathOf(request.url ?? ''),
      headers: headersFor(request.rawHeaders) as unknown as ClientRequestArgs['headers'],
      insecureHTTPParser: true,
      maxHeaderSize: maxHeaderBytes,
    })
    sent.once('response', (received) => respond(received, response))
    sent.on('error', (error) => {
      if (socket.destroyed) return
      // The target broke the connection off.
      if (sent.socket !== null) socket.resetAndDestroy()
      else {
        this.#connector.noteFailure(error, target)
        refuseRequest(socket, error)
      }
    })
    response.once('close', () => {
      if (!response.writableFinished) sent.destroy()
    })
    request.pipe(sent)
  }
}

/** Maximum size of response headers in Chromium, in bytes. */
const maxHeaderBytes = 256 * 1024

/** Connects through a tunnel. Each connection of the browser has at most one request at a time. */
class TunnelAgent extends Agent {
  readonly #connect: (target: HostPort) => Promise<Socket>

  constructor(connect: (target: HostPort) => Promise<Socket>) {
    super({ keepAlive: true, maxSockets: 1 })
    this.#connect = connect
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    onConnect: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#connect({ host: String(host), port: Number(port) }).then(
      (socket) => onConnect(null, socket),
      (error: Error) => (onConnect as (error: Error) => void)(error),
    )
  }
}

/** The path as the browser has written it, which `URL` might normalize. */
function pathOf(url: string): string {
  const path = /^http:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? ''
  return path.startsWith('/') ? path : `/${path}`
}

/** The headers that a browser sends without a proxy, in the same order. */
function headersFor(raw: readonly string[]): readonly string[] {
  return raw.flatMap((value, index) => {
    if (index % 2 === 1) return []
    const name = value.toLowerCase() === 'proxy-connection' ? 'Connection' : value
    return name.toLowerCase() === 'proxy-authorization' ? [] : [name, raw[index + 1] ?? '']
  })
}

/** Sends a response with exactly the headers of the target. */
function respond(received: IncomingMessage, response: ServerResponse): void {
  const { statusCode = 502, statusMessage = '', rawHeaders, headers } = received
  response.sendDate = false
  response.removeHeader('connection')
  const isDelimited = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  if (!isDelimited) {
    // The end of the connection is the end of the response.
    response.useChunkedEncodingByDefault = false
    response.shouldKeepAlive = false
  }
  response.writeHead(statusCode, statusMessage, rawHeaders)
  pipeline(received, response, () => {})
}
