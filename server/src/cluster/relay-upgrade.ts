import type { IncomingMessage } from 'node:http'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { once } from 'node:events'
import { inSpan } from '../kit/current-work.ts'
import { pipeSockets } from '../kit/pipe-sockets.ts'
import { ClosableFrames } from './closable-frames.ts'
import {
  addressHeader,
  connectTimeoutMs,
  internalPrefix,
  relayHeader,
  relaySpan,
  requestIdHeader,
  traceHeader,
  traceHeaders,
  hostOf,
  serverNameOf,
} from './peer-requests.ts'
import { unreachable, type Peer } from './peers.ts'

/** A client's WebSocket that is relayed to a peer. */
export interface RelayedSocket {
  /**
   * Sends the client a close frame between two frames of the peer, then closes both connections.
   */
  readonly close: (code: number, reason: string) => void
}

/**
 * Time for a peer to respond to the handshake, in milliseconds. It opens a CDP channel to the
 * browser first.
 */
const handshakeMs = 15_000

/** Time for the client to close the connection, in milliseconds. */
const closingMs = 2000

/**
 * Relays a WebSocket upgrade to a peer. Throws NODE_UNREACHABLE, before anything was sent to the
 * client.
 */
export async function relayUpgrade(
  peer: Peer,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  timeoutMs: number = handshakeMs,
): Promise<RelayedSocket> {
  return inSpan('relay', async () => pipeUpgrade(peer, { request, socket, head }, timeoutMs), relaySpan(peer))
}

interface ClientUpgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

async function pipeUpgrade(
  peer: Peer,
  { request, socket, head }: ClientUpgrade,
  timeoutMs: number,
): Promise<RelayedSocket> {
  const upstream = await dial(new URL(peer.url))
  socket.once('close', () => upstream.destroy())
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/1.1`, `${relayHeader}: ${peer.id}`]
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? ''
    const isOwn = name.toLowerCase().startsWith(internalPrefix) || replaced.has(name.toLowerCase())
    if (!isOwn) lines.push(`${name}: ${request.rawHeaders[index + 1]}`)
  }
  const headers = { ...request.headers, ...traceHeaders() }
  for (const name of [addressHeader, ...replaced]) {
    const value = headers[name]
    if (value !== undefined) lines.push(`${name}: ${value.toString()}`)
  }
  upstream.write(`${lines.join('\r\n')}\r\n\r\n`)
  if (head.length > 0) upstream.write(head)
  socket.setNoDelay(true)
  upstream.setNoDelay(true)
  await firstBytes(upstream, timeoutMs)
  const frames = new ClosableFrames()
  pipeSockets(socket, upstream, frames)
  return {
    close: (code, reason) => {
      frames.closeWith(code, reason)
      socket.unpipe(upstream)
      socket.resume()
      setTimeout(() => socket.destroy(), closingMs).unref()
    },
  }
}

/** Headers of the client that this server may have changed. */
const replaced: ReadonlySet<string> = new Set([requestIdHeader, traceHeader])

/** Waits until the peer has begun to respond, without reading its bytes. */
async function firstBytes(upstream: Socket, timeoutMs: number): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs)
  const ended = once(upstream, 'end', { signal }).then(() => Promise.reject(unreachable('closed the connection')))
  try {
    await Promise.race([once(upstream, 'readable', { signal }), ended])
  } catch (cause) {
    upstream.destroy()
    throw unreachable('does not respond', cause)
  }
}

async function dial(url: URL): Promise<Socket> {
  const isTls = url.protocol === 'https:'
  const target = { host: hostOf(url), port: Number(url.port || (isTls ? 443 : 80)) }
  const socket = isTls ? connectTls({ ...target, servername: serverNameOf(target.host) }) : connectTcp(target)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error('timed out')))
  socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket))
  socket.once('error', (error) => reject(unreachable('does not respond', error)))
  const connected = await promise
  connected.setTimeout(0)
  return connected
}
