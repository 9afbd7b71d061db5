import type { IncomingMessage } from 'node:http'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { once } from 'node:events'
import { pipeSockets } from '../kit/pipe-sockets.ts'
import { ClosableFrames } from './closable-frames.ts'
import { connectTimeoutMs, hopHeader, hostOf, serverNameOf } from './peer-requests.ts'
import { unreachable, type Peer } from './peers.ts'

/** A WebSocket of a client that this server passes on to a peer. */
export interface RelayedSocket {
  /** Sends the client a close frame between two frames of the peer, and drops both connections. */
  readonly close: (code: number, reason: string) => void
}

/** Milliseconds that a peer gets to answer the handshake: it opens a channel into the browser first. */
const handshakeMs = 15_000

/** Milliseconds after which a client that does not close is cut off. */
const closingMs = 2000

/** Passes a WebSocket upgrade to a peer and joins the two connections. Throws NODE_UNREACHABLE before anything went back. */
export async function relayUpgrade(
  peer: Peer,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  timeoutMs: number = handshakeMs,
): Promise<RelayedSocket> {
  const onward = await dial(new URL(peer.url))
  socket.once('close', () => onward.destroy())
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/1.1`, `${hopHeader}: ${peer.id}`]
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`)
  }
  onward.write(`${lines.join('\r\n')}\r\n\r\n`)
  if (head.length > 0) onward.write(head)
  socket.setNoDelay(true)
  onward.setNoDelay(true)
  await firstBytes(onward, timeoutMs)
  const frames = new ClosableFrames()
  pipeSockets(socket, onward, frames)
  return {
    close: (code, reason) => {
      frames.closeWith(code, reason)
      socket.unpipe(onward)
      socket.resume()
      setTimeout(() => socket.destroy(), closingMs).unref()
    },
  }
}

/** Waits until the peer has begun to answer, without taking what it says. */
async function firstBytes(onward: Socket, timeoutMs: number): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs)
  const ended = once(onward, 'end', { signal }).then(() => Promise.reject(unreachable('closed the connection')))
  try {
    await Promise.race([once(onward, 'readable', { signal }), ended])
  } catch (cause) {
    onward.destroy()
    throw unreachable('does not answer', cause)
  }
}

async function dial(url: URL): Promise<Socket> {
  const isTls = url.protocol === 'https:'
  const target = { host: hostOf(url), port: Number(url.port || (isTls ? 443 : 80)) }
  const socket = isTls ? connectTls({ ...target, servername: serverNameOf(target.host) }) : connectTcp(target)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error('timed out')))
  socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket))
  socket.once('error', (error) => reject(unreachable('does not answer', error)))
  const connected = await promise
  connected.setTimeout(0)
  return connected
}
