import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { basicChallengeOf, CredentialsRequired } from './credentials-required.ts'
import type { HostPort } from './host-port.ts'
import type { NetError } from './net-errors.ts'
import { connectSocks } from './socks-client.ts'

/** A third-party proxy for outgoing connections. */
export interface Upstream {
  readonly name: 'basic' | 'enhanced' | 'session'
  readonly url: URL
  /**
   * Connects to the proxy itself. Default: without a check, because the operator chose the proxy.
   */
  readonly dial?: ((signal: AbortSignal) => Promise<Socket>) | undefined
  /** Whether a request for credentials is passed on as CredentialsRequired. Default: false. */
  readonly asksForCredentials?: boolean | undefined
  /** `Proxy-Authorization` header. Default: the credentials of `url`. */
  readonly authorization?: string | undefined
}

/**
 * Opens a tunnel to a target through an upstream proxy, which resolves the name itself. Throws
 * EGRESS_FAILED, as CredentialsRequired if the upstream passes that on, or the signal's reason.
 */
export async function tunnelThrough(upstream: Upstream, target: HostPort, signal: AbortSignal): Promise<Socket> {
  return translateFailures(upstream, target, signal, async () => {
    const socket = await upstream.dial?.(signal)
    return upstream.url.protocol.startsWith('socks')
      ? await connectSocks(upstream.url, target, signal, socket)
      : await connectHttp(upstream, target, signal, socket)
  })
}

/** An upstream proxy that gets plain http requests as from a browser that uses it. */
export interface RequestProxy extends Upstream {
  readonly dial: (signal: AbortSignal) => Promise<Socket>
}

/**
 * Whether an upstream proxy is a `RequestProxy`. The proxies of the operator open tunnels for
 * everything: whether a target can be reached is then known before a request is sent.
 */
export function isRequestProxy(upstream: Upstream): upstream is RequestProxy {
  return upstream.name === 'session' && upstream.dial !== undefined && !upstream.url.protocol.startsWith('socks')
}

/** Connects to an HTTP proxy, for requests. Throws EGRESS_FAILED, or the signal's reason. */
export async function connectToProxy(upstream: RequestProxy, target: HostPort, signal: AbortSignal): Promise<Socket> {
  return translateFailures(upstream, target, signal, async () => {
    const socket = await upstream.dial(signal)
    if (upstream.url.protocol !== 'https:') return socket
    const secure = secured(upstream.url, socket)
    try {
      await abortable(once(secure, 'secureConnect'), signal)
    } catch (error) {
      secure.destroy()
      throw error
    }
    return secure.on('error', () => secure.destroy())
  })
}

async function translateFailures(
  upstream: Upstream,
  target: HostPort,
  signal: AbortSignal,
  connect: () => Promise<Socket>,
): Promise<Socket> {
  signal.throwIfAborted()
  try {
    return await connect()
  } catch (cause) {
    signal.throwIfAborted()
    const message = `The ${upstream.name} proxy could not connect to ${target.host}:${target.port}: ${messageOf(cause)}`
    const challenge = upstream.asksForCredentials === true && cause instanceof Rejection ? cause.challenge : undefined
    if (challenge !== undefined) throw new CredentialsRequired(message, challenge)
    throw new BowlineError('EGRESS_FAILED', message, { cause, details: { netError: netErrorOfUpstream(cause) } })
  }
}

/**
 * The net error that Chromium reports. Errors of the connection to the proxy have a code, and its
 * refusals have none.
 */
function netErrorOfUpstream(cause: unknown): NetError {
  const { code, syscall } = Error.isError(cause) ? (cause as NodeJS.ErrnoException) : {}
  if (code === undefined || code.startsWith('HPE_')) return 'ERR_TUNNEL_CONNECTION_FAILED'
  // The proxy accepted the connection before.
  if (code === 'ECONNRESET') return syscall === 'read' ? 'ERR_CONNECTION_RESET' : 'ERR_EMPTY_RESPONSE'
  return 'ERR_PROXY_CONNECTION_FAILED'
}

/**
 * The `Proxy-Authorization` header for an upstream proxy. Undefined if its URL has no credentials.
 */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  return username === '' && password === ''
    ? undefined
    : `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`
}

/** `connection`: to the proxy. Default: opened here. */
async function connectHttp(
  { url, authorization = proxyAuthorization(url) }: Upstream,
  target: HostPort,
  signal: AbortSignal,
  connection?: Socket,
): Promise<Socket> {
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url.origin, {
    method: 'CONNECT',
    path: authority,
    // An agent would open a connection of its own.
    ...(connection === undefined ? { agent: false } : { createConnection: () => secured(url, connection) }),
    headers: {
      host: authority,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
  })
  const tunnel = Promise.withResolvers<Socket>()
  const onAbort = (): void => void request.destroy(new Error('aborted'))
  signal.addEventListener('abort', onAbort, { once: true })
  request.once('error', tunnel.reject)
  request.once('response', (response) => tunnel.reject(new Rejection(response)))
  request.once('connect', (response, socket: Socket, head) => {
    if (response.statusCode !== 200) {
      socket.destroy()
      tunnel.reject(new Rejection(response))
      return
    }
    socket.on('error', () => socket.destroy())
    socket.setNoDelay(true)
    if (head.length > 0) socket.unshift(head)
    tunnel.resolve(socket)
  })
  request.end()
  try {
    return await tunnel.promise
  } catch (error) {
    request.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Starts TLS on a connection to an https proxy. */
function secured({ protocol, hostname }: URL, socket: Socket): Socket {
  const host = hostname.replaceAll(/[[\]]/g, '')
  return protocol === 'https:'
    ? connectTls({ socket, ...(isIP(host) === 0 ? { servername: host } : {}), host })
    : socket
}

/** The response of a proxy that opens no tunnel. */
class Rejection extends Error {
  readonly challenge: string | undefined

  constructor(response: IncomingMessage) {
    super(`the proxy returned ${response.statusCode ?? 0} ${response.statusMessage ?? ''}`.trimEnd())
    this.challenge = basicChallengeOf(response)
  }
}
