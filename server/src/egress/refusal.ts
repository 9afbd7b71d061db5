import type { Socket } from 'node:net'
import { isBowlineError } from 'bowline/kit/errors'
import { netErrorOf, rejectedHeads } from './net-errors.ts'

/** Answers a CONNECT that failed, so that the browser reports why. */
export function refuseTunnel(socket: Socket, error: unknown): void {
  const netError = netErrorOf(error)
  if (netError === 'ERR_CONNECTION_RESET') socket.resetAndDestroy()
  else finish(socket, answerOf(error))
}

/** Milliseconds for the request of a connection that was asked for in advance. */
const requestTimeoutMs = 1000

/**
 * Answers a SOCKS connection that failed. SOCKS has reply codes, which Chromium does not tell apart, so the connection
 * succeeds and its first request fails.
 */
export function refuseSocks(socket: Socket, error: unknown): void {
  const netError = netErrorOf(error)
  if (netError === 'ERR_TUNNEL_CONNECTION_FAILED') return finish(socket, socksReply(socksFailure))
  socket.write(socksReply(socksSuccess))
  // A connection without a request is one made in advance. Kept, it would fail a request that comes much later.
  const unused = setTimeout(() => socket.destroy(), requestTimeoutMs)
  socket.once('close', () => clearTimeout(unused))
  socket.once('data', () => {
    clearTimeout(unused)
    if (netError === 'ERR_CONNECTION_RESET') socket.resetAndDestroy()
    else finish(socket, answerOf(error))
  })
  socket.resume()
}

/** Tells a SOCKS client that it is connected. */
export function acceptSocks(socket: Socket): void {
  socket.write(socksReply(socksSuccess))
}

const socksSuccess = 0
const socksFailure = 1

/** A reply without a bound address: Chromium does not read it. */
function socksReply(code: number): Buffer {
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0])
}

/** The head that the browser rejects, and the reason for people who look at the wire. */
function answerOf(error: unknown): string {
  const { message, hint } = isBowlineError(error) ? error : { message: 'The connection failed', hint: undefined }
  return `${rejectedHeads.get(netErrorOf(error))?.text ?? badGateway}${message}\n${hint ?? ''}\n`
}

const badGateway = 'HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n'

/** Sends the last bytes. What still arrives is read, since unread bytes would turn the end into a reset. */
function finish(socket: Socket, bytes: string | Buffer): void {
  socket.resume()
  socket.end(bytes)
  const late = setTimeout(() => socket.destroy(), requestTimeoutMs)
  socket.once('close', () => clearTimeout(late))
}
