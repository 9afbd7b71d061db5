import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { BowlineError } from 'bowline/kit/errors'
import { failureBody } from './errors.ts'

/**
 * Writes an error of the API to a connection on which no response has started, and closes it. Then
 * no hook or handler of a route applies.
 */
export function refuseSocket(socket: Duplex, error: BowlineError, requestId: string): void {
  const body = JSON.stringify(failureBody(error, requestId))
  const status = error.status >= 400 ? error.status : 500
  const retryAfter = error.retryAfterSeconds === undefined ? '' : `Retry-After: ${error.retryAfterSeconds}\r\n`
  // Otherwise a client that keeps its side open would delay the shutdown.
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${retryAfter}Connection: close\r\n\r\n${body}`,
  )
}
