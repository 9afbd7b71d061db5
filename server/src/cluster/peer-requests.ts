import { request as httpRequest, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { unreachable, type Peer } from './peers.ts'

/** Marks a request that one server hands to another, so that it is never handed on again. */
export const hopHeader = 'x-bowline-hop'

/** Milliseconds that a peer gets to accept a connection. */
export const connectTimeoutMs = 5000

/** How long a server waits for a peer, in milliseconds. */
export interface PeerLimits {
  /** From the request to the head of the response. Long work such as saving a profile needs minutes. */
  readonly answerMs: number
  /** A peer that has not answered after this time is asked whether it is alive. Default 2000. */
  readonly probeAfterMs?: number | undefined
  /** For the answer to that question. Two missed answers in a row mean that the peer hangs. Default 4000. */
  readonly probeMs?: number | undefined
}

/** What is asked of a peer. */
export interface PeerTarget {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Those of one connection are left out. */
  readonly headers: IncomingHttpHeaders
  /** Headers that are sent as they are. */
  readonly extra: Readonly<Record<string, string>>
}

/** A request under way to a peer. Disposing stops watching the peer; the request is left alone. */
export interface PeerRequest extends Disposable {
  readonly onward: ClientRequest
  /** Rejects with NODE_UNREACHABLE when the peer is gone, hangs, or takes too long. */
  readonly answered: Promise<IncomingMessage>
}

/**
 * Opens a request to a peer. It fails when the peer stops responding to liveness probes at any time before the result
 * is disposed of: a stopped process still accepts connections, and a slow one must not be mistaken for it.
 */
export function openPeerRequest(peer: Peer, target: PeerTarget, limits: PeerLimits): PeerRequest {
  const onward = requestTo(peer, target.path, {
    method: target.method,
    headers: { ...ofMessage(target.headers), ...target.extra, [hopHeader]: peer.id },
  })
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  // The caller may fail before it waits for the answer.
  answered.catch(() => undefined)
  const late = setTimeout(() => onward.destroy(new Error('no answer in time')), limits.answerMs)
  const watching = new AbortController()
  onward.on('response', (response) => {
    clearTimeout(late)
    resolve(response)
  })
  onward.on('error', (error) => reject(unreachable('does not answer', error)))
  onward.on('close', () => watching.abort())
  onward.setTimeout(connectTimeoutMs, () => {
    if (onward.socket?.connecting === true) onward.destroy(new Error('timed out'))
  })
  void watchPeer(peer, limits, watching.signal).then((isHung) => isHung && onward.destroy(new Error('it hangs')))
  return {
    onward,
    answered,
    [Symbol.dispose]: () => {
      clearTimeout(late)
      watching.abort()
    },
  }
}

/** The headers of a message without those of one connection. */
export function ofMessage(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)))
}

/** The host of an address without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/** The name that TLS is given for a host: empty for IP addresses. */
export function serverNameOf(host: string): string {
  return isIP(host) === 0 ? host : ''
}

const ofConnection: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'expect'])

function requestTo(
  peer: Peer,
  path: string,
  options: { readonly method: string; readonly headers: IncomingHttpHeaders; readonly agent?: false },
): ClientRequest {
  // A request may name a host itself, which must not lead anywhere else.
  const { pathname, search } = new URL(path, 'http://localhost')
  const url = new URL(peer.url)
  url.pathname = pathname
  url.search = search
  return (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    ...options,
    // Otherwise the certificate would have to be for the name that the client came by.
    servername: serverNameOf(hostOf(url)),
  })
}

/** Resolves to true once the peer has missed two probes in a row; to false when the signal aborts. */
async function watchPeer(
  peer: Peer,
  { probeAfterMs = 2000, probeMs = 4000 }: PeerLimits,
  signal: AbortSignal,
): Promise<boolean> {
  for (let missed = 0; missed < 2;) {
    // After a missed probe the time for a pause has passed already.
    if (missed === 0) await sleep(probeAfterMs, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return false
    missed = (await isAlive(peer, probeMs)) ? 0 : missed + 1
  }
  return !signal.aborted
}

/** Whether the peer answers anything on a new connection. */
async function isAlive(peer: Peer, timeoutMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const probe = requestTo(peer, '/livez', { method: 'GET', headers: {}, agent: false })
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
