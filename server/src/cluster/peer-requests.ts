import { request as httpRequest, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { serverRoutes } from 'bowline/contract/server-routes'
import { currentSpan } from '../kit/current-work.ts'
import type { SpanOptions } from '../kit/span.ts'
import { unreachable, type Peer } from './peers.ts'

/**
 * Prefix of the headers that servers send each other. Those of a client are not relayed: the peer
 * would take them for headers of this server.
 */
export const internalPrefix = 'x-bowline-'

/** Marks a request that was relayed by another server, so that it is not relayed again. */
export const relayHeader = `${internalPrefix}hop`

/** Passes on the IP address of the client. Each server sets it for the requests of clients. */
export const addressHeader = `${internalPrefix}address`

/** Passes on the id of the request. */
export const requestIdHeader = 'x-request-id'

/** Passes on the trace of the request. */
export const traceHeader = 'traceparent'

/** Timeout of the connection to a peer, in milliseconds. */
export const connectTimeoutMs = 5000

/** Timeouts of a request to a peer, in milliseconds. */
export interface PeerLimits {
  /**
   * From the request to the response headers. Long operations such as saving a profile take
   * minutes.
   */
  readonly responseTimeoutMs: number
  /** A peer that has not responded after this time is probed. Default: 2000. */
  readonly probeAfterMs?: number | undefined
  /** Timeout of a probe. A peer that misses two in a row counts as hung. Default: 4000. */
  readonly probeMs?: number | undefined
}

/** A request to send to a peer. */
export interface PeerTarget {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Headers of the client's request. Hop-by-hop headers and those of servers are dropped. */
  readonly headers: IncomingHttpHeaders
  /** Additional headers, sent unchanged. */
  readonly extra: Readonly<Record<string, string>>
}

/** A request to a peer. Disposing stops the probes, but not the request. */
export interface PeerRequest extends Disposable {
  readonly outgoing: ClientRequest
  /** Rejects with NODE_UNREACHABLE if the peer is gone, hangs or takes too long. */
  readonly response: Promise<IncomingMessage>
}

/**
 * Sends a request to a peer. Probes the peer until the result is disposed of, and fails if two
 * probes in a row get no response: a stopped process still accepts connections, while a slow one
 * responds to probes.
 */
export function openPeerRequest(peer: Peer, target: PeerTarget, limits: PeerLimits): PeerRequest {
  const outgoing = requestTo(peer, target.path, {
    method: target.method,
    headers: { ...clientHeaders(target.headers), ...traceHeaders(), ...target.extra, [relayHeader]: peer.id },
  })
  const { promise: response, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  // The caller may fail before it awaits the response.
  response.catch(() => undefined)
  const timer = setTimeout(() => outgoing.destroy(new Error('the response timed out')), limits.responseTimeoutMs)
  const probing = new AbortController()
  outgoing.on('response', (incoming) => {
    clearTimeout(timer)
    resolve(incoming)
  })
  outgoing.on('error', (error) => reject(unreachable('does not respond', error)))
  outgoing.on('close', () => probing.abort())
  outgoing.setTimeout(connectTimeoutMs, () => {
    if (outgoing.socket?.connecting === true) outgoing.destroy(new Error('timed out'))
  })
  void isPeerHung(peer, limits, probing.signal).then(
    (isHung) => isHung && outgoing.destroy(new Error('the server hangs')),
  )
  return {
    outgoing,
    response,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      probing.abort()
    },
  }
}

/**
 * Returns the header that continues the current trace at a peer. Without one, that of the client is
 * relayed.
 */
export function traceHeaders(): Readonly<Record<string, string>> {
  const span = currentSpan()
  return span === undefined ? {} : { [traceHeader]: span.traceparent }
}

/** Returns the options of the span in which a peer handles a request. */
export function relaySpan({ id }: Pick<Peer, 'id'>): SpanOptions {
  return { kind: 'client', attributes: { 'bowline.peer.id': id } }
}

/** The headers of a message without hop-by-hop headers. */
export function endToEndHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name)))
}

function clientHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(endToEndHeaders(headers)).filter(
      ([name]) => name === addressHeader || !name.startsWith(internalPrefix),
    ),
  )
}

/** The host of a URL, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/** The TLS server name (SNI) of a host: empty for IP addresses. */
export function serverNameOf(host: string): string {
  return isIP(host) === 0 ? host : ''
}

const hopByHopHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'expect'])

function requestTo(
  peer: Peer,
  path: string,
  options: { readonly method: string; readonly headers: IncomingHttpHeaders; readonly agent?: false },
): ClientRequest {
  // The path may be an absolute URL, whose host must be ignored.
  const { pathname, search } = new URL(path, 'http://localhost')
  const url = new URL(peer.url)
  url.pathname = pathname
  url.search = search
  return (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    ...options,
    // By default Node would use the Host header, which names the address the client used.
    servername: serverNameOf(hostOf(url)),
  })
}

/**
 * Resolves to true once the peer has missed two probes in a row, or to false when the signal
 * aborts.
 */
async function isPeerHung(
  peer: Peer,
  { probeAfterMs = 2000, probeMs = 4000 }: PeerLimits,
  signal: AbortSignal,
): Promise<boolean> {
  for (let missed = 0; missed < 2;) {
    // The timeout of the probe replaces the pause.
    if (missed === 0) await sleep(probeAfterMs, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return false
    missed = (await isAlive(peer, probeMs)) ? 0 : missed + 1
  }
  return !signal.aborted
}

/** Whether the peer responds on a new connection. */
async function isAlive(peer: Peer, timeoutMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const probe = requestTo(peer, serverRoutes.liveness.path, { method: 'GET', headers: {}, agent: false })
  const timer = setTimeout(() => probe.destroy(new Error('timed out')), timeoutMs)
  probe.on('response', (response) => {
    response.resume()
    resolve(true)
  })
  probe.on('error', () => resolve(false))
  probe.end()
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    probe.destroy()
  }
}
