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

/** Time after a failure within which Chromium sends the request that it connected for, in ms. */
const ownRequestMs = 5

/** State of a SOCKS connection that failed. */
export interface FailedSocks {
  /** Whether it has the reply already. */
  readonly isAccepted: boolean
  /**
   * Called instead of a refusal if Chromium connected in advance and sends the first bytes of a
   * request later, when the target may accept connections.
   */
  readonly onLateRequest: (head: Buffer) => void
}

/**
 * Responds to a SOCKS connection that failed. Chromium does not distinguish SOCKS reply codes, so
 * the connection succeeds and its first request fails.
 */
export function refuseSocks(socket: Socket, error: unknown, { isAccepted, onLateRequest }: FailedSocks): void {
  if (!isAccepted) {
    if (tunnelFailures.has(netErrorOf(error))) return finish(socket, socksReply(socksFailure))
    socket.write(socksReply(socksSuccess))
  }
  const failedAtMs = performance.now()
  // Without a request, Chromium connected in advance. A socket kept open would delay a much later
  // request.
  const unused = setTimeout(() => socket.destroy(), requestTimeoutMs)
  socket.once('close', () => clearTimeout(unused))
  socket.once('data', (head: Buffer) => {
    clearTimeout(unused)
    if (performance.now() - failedAtMs <= ownRequestMs) return refuseSocksRequest(socket, error)
    socket.pause()
    onLateRequest(head)
  })
  socket.resume()
}

/** Responds to the request of an accepted SOCKS connection that failed. */
export function refuseSocksRequest(socket: Socket, error: unknown): void {
  if (tunnelFailures.has(netErrorOf(error))) refuseRequest(socket, error)
  else refuseTunnel(socket, error)
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
