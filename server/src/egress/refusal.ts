import type { Socket } from 'node:net'
import { isBowlineError } from 'bowline/kit/errors'
import { CredentialsRequired } from './credentials-required.ts'
import { closedWithoutResponse, netErrorOf, rejectedHeads, tunnelFailures } from './net-errors.ts'

/** Responds to a CONNECT that failed, so that the browser reports the cause. */
export function refuseTunnel(socket: Socket, error: unknown): void {
  if (error instanceof CredentialsRequired) return finish(socket, challengeOf(error))
  const netError = netErrorOf(error)
  if (netError === 'ERR_CONNECTION_RESET') socket.resetAndDestroy()
  else if (netError === 'ERR_EMPTY_RESPONSE') finish(socket, '')
  else finish(socket, rejectionOf(error))
}

/** Responds to a plain http request that failed, so that the browser reports the cause. */
export function refuseRequest(socket: Socket, error: unknown): void {
  const isClosed = !(error instanceof CredentialsRequired) && closedWithoutResponse.has(netErrorOf(error))
  if (isClosed) finish(socket, '')
  else refuseTunnel(socket, error)
}

/** Responds to a malformed request. */
export function refuseMalformed(socket: Socket): void {
  finish(
    socket,
    'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nThis is an egress proxy: it accepts CONNECT, URLs of plain http and SOCKS5.\n',
  )
}

/** Closes the connection, so that the browser connects again with the credentials. */
function challengeOf({ challenge }: CredentialsRequired): string {
  return `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${challenge}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
}

/** Time to wait for a first request on a preconnected socket, in milliseconds. */
const requestTimeoutMs = 1000

/**
 * Responds to a SOCKS connection that failed. Chromium does not distinguish SOCKS reply codes, so
 * the connection succeeds and its first request fails. `isAccepted`: whether it has the reply
 * already.
 */
export function refuseSocks(socket: Socket, error: unknown, { isAccepted }: { readonly isAccepted: boolean }): void {
  const netError = netErrorOf(error)
  if (!isAccepted) {
    if (tunnelFailures.has(netError)) return finish(socket, socksReply(socksFailure))
    socket.write(socksReply(socksSuccess))
  }
  // Without a request, Chromium connected in advance. A socket kept open would fail a much later
  // request.
  const unused = setTimeout(() => socket.destroy(), requestTimeoutMs)
  socket.once('close', () => clearTimeout(unused))
  socket.once('data', () => {
    clearTimeout(unused)
    if (tunnelFailures.has(netError)) refuseRequest(socket, error)
    else refuseTunnel(socket, error)
  })
  socket.resume()
}

/** Sends a SOCKS success reply. */
export function acceptSocks(socket: Socket): void {
  socket.write(socksReply(socksSuccess))
}

const socksSuccess = 0
const socksFailure = 1

/** A reply without a bound address, which Chromium does not read. */
function socksReply(code: number): Buffer {
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0])
}

/** The head that Chromium rejects, followed by the cause for people who inspect the traffic. */
function rejectionOf(error: unknown): string {
  const { message, hint } = isBowlineError(error) ? error : { message: 'The connection failed', hint: undefined }
  return `${rejectedHeads.get(netErrorOf(error))?.text ?? badGateway}${message}\n${hint ?? ''}\n`
}

const badGateway = 'HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n'

/**
 * Sends the last bytes and closes the socket. Keeps reading, because unread bytes would turn the
 * close into a reset.
 */
function finish(socket: Socket, bytes: string | Buffer): void {
  socket.resume()
  socket.end(bytes)
  const timer = setTimeout(() => socket.destroy(), requestTimeoutMs)
  socket.once('close', () => clearTimeout(timer))
}
