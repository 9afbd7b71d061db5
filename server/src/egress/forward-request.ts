import { once } from 'node:events'
import type { Socket } from 'node:net'
import { BowlineError } from 'bowline/kit/errors'
import { pipeSockets } from '../kit/pipe-sockets.ts'
import { ByteReader } from './byte-reader.ts'
import type { HttpRoute } from './connector.ts'
import type { EndpointConnector } from './endpoint-connector.ts'
import type { HostPort } from './host-port.ts'
import {
  headerOf,
  headForProxy,
  headForTarget,
  readRequestBody,
  readRequestHead,
  type RequestHead,
} from './http-request.ts'
import { pipeResponses, type PipedResponses } from './pipe-responses.ts'
import { refuseMalformed, refuseRequest } from './refusal.ts'
import { serveTunnel } from './tunnel.ts'

/** A target that all requests of a connection go to. */
export interface FixedRoute {
  readonly target: HostPort
  readonly route: HttpRoute
}

/**
 * Forwards the plain http requests of one connection of a browser: `GET http://host/path`, or
 * `GET /path` with a fixed route. Targets and HTTP proxies get them as from a browser without this
 * server, and what they send back is passed on unchanged.
 */
export class RequestForwarder {
  readonly #connector: EndpointConnector
  readonly #socket: Socket
  readonly #reader: ByteReader
  readonly #fixed: FixedRoute | undefined
  readonly #closed = new AbortController()
  #current: CurrentRoute | undefined

  constructor(connector: EndpointConnector, socket: Socket, fixed?: FixedRoute) {
    this.#connector = connector
    this.#socket = socket
    this.#reader = new ByteReader(socket)
    this.#fixed = fixed
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      this.#closed.abort()
      this.#current?.route.socket.destroy()
    })
    if (fixed !== undefined) this.#use(fixed, 'requests')
  }

  /** Forwards requests until the connection ends or becomes a tunnel. Never rejects. */
  async run(): Promise<void> {
    try {
      while (await this.#forwardNext()) {
        // A connection has one request at a time.
      }
    } catch {
      // The browser has closed the connection or sent something malformed.
      this.#current?.responses?.close()
      await this.#refuse(refuseMalformed)
    }
  }

  async #forwardNext(): Promise<boolean> {
    const head = await readRequestHead(this.#reader)
    if (head === undefined) {
      if (this.#current === undefined) this.#socket.destroy()
      else this.#current.route.socket.end()
      return false
    }
    if (head.method === 'CONNECT' && this.#fixed === undefined) {
      const authorization = headerOf(head, 'proxy-authorization')
      const bytes = await this.#reader.release()
      serveTunnel(this.#connector, this.#socket, { authority: head.target, authorization, head: bytes })
      return false
    }
    const target = this.#targetOf(head)
    if (target === undefined) throw new Error('not the URL of a plain http request')
    const current = await this.#routeFor(target, head)
    return current !== undefined && (await this.#send(head, current))
  }

  #targetOf({ target }: RequestHead): HostPort | undefined {
    if (this.#fixed !== undefined) return target.startsWith('/') ? this.#fixed.target : undefined
    const url = URL.parse(target)
    return url?.protocol === 'http:'
      ? { host: url.hostname.replaceAll(/[[\]]/g, ''), port: Number(url.port || 80) }
      : undefined
  }

  /** Connects for a request, or returns the current connection. Undefined after a refusal. */
  async #routeFor(target: HostPort, head: RequestHead): Promise<CurrentRoute | undefined> {
    // Chromium opens tunnels for other protocols.
    const use = headerOf(head, 'upgrade') === undefined ? 'requests' : 'tunnel'
    const current = this.#current
    if (current?.use === use && current.target.host === target.host && current.target.port === target.port)
      return current
    try {
      const authorization = headerOf(head, 'proxy-authorization')
      // Chromium waits for the response for as long as it takes.
      const options = { authorization, signal: this.#closed.signal, onSlow: () => {} }
      const route =
        use === 'requests'
          ? await this.#connector.connectHttp(target, options)
          : { socket: await this.#connector.connect(target, options) }
      return this.#use({ target, route }, use)
    } catch (error) {
      this.#current?.responses?.close()
      this.#connector.noteFailure(error, target)
      await this.#refuse((socket) => refuseRequest(socket, error))
      return undefined
    }
  }

  /** Uses a route from now on, instead of the one before, whose response is complete. */
  #use({ target, route }: FixedRoute, use: CurrentRoute['use']): CurrentRoute {
    this.#current?.responses?.close()
    const hidesChallenges = route.proxy !== undefined && this.#fixed !== undefined
    const onChallenge = hidesChallenges ? () => this.#onChallenge(target) : undefined
    const responses = use === 'requests' ? pipeResponses(route.socket, this.#socket, onChallenge) : undefined
    this.#current = { target, route, use, responses }
    return this.#current
  }

  /** Over SOCKS, Chromium accepts no challenge of a proxy. */
  #onChallenge(target: HostPort): void {
    this.#current?.responses?.close()
    const message = `The session proxy could not connect to ${target.host}:${target.port}: the proxy returned 407`
    const error = new BowlineError('EGRESS_FAILED', message)
    this.#connector.noteFailure(error, target)
    refuseRequest(this.#socket, error)
  }

  async #refuse(respond: (socket: Socket) => void): Promise<void> {
    // Drops the rest of the request.
    await this.#reader.release()
    if (!this.#socket.destroyed) respond(this.#socket)
  }

  /** Sends a request. Resolves to whether another one can follow. */
  async #send(head: RequestHead, { target, route, responses }: CurrentRoute): Promise<boolean> {
    const { socket, proxy } = route
    responses?.expect()
    await write(socket, proxy === undefined ? headForTarget(head) : headForProxy(head, target, proxy.authorization))
    if (responses === undefined) {
      socket.write(await this.#reader.release())
      pipeSockets(this.#socket, socket)
      return false
    }
    for await (const bytes of readRequestBody(this.#reader, head)) await write(socket, bytes)
    return true
  }
}

interface CurrentRoute extends FixedRoute {
  readonly use: 'requests' | 'tunnel'
  /** Undefined for a tunnel. */
  readonly responses: PipedResponses | undefined
}

/** Writes with back-pressure. What a closed socket cannot take is dropped. */
async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed || socket.writableEnded || socket.write(bytes)) return
  const done = new AbortController()
  try {
    await Promise.race(['drain', 'close'].map(async (event) => once(socket, event, { signal: done.signal })))
  } catch {
    // The failure of the socket ends the connection of the browser.
  } finally {
    done.abort()
  }
}
