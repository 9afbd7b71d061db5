import { randomUUID } from 'node:crypto'
import { maxHeaderSize } from 'node:http'
import type { Duplex } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'
import { sizeText } from './body-sizes.ts'
import { refuseSocket } from './refuse-socket.ts'

/**
 * Responds with an error of the API to what Node could not parse as an HTTP request. Closes
 * connections whose TLS handshake took too long: a response would wait for its end.
 */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  const cannotRespond = error.code === 'ECONNRESET' || error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT'
  if (cannotRespond || !socket.writable) return void socket.destroy()
  refuseSocket(socket, describeMalformed(error), randomUUID())
}

function describeMalformed(cause: NodeJS.ErrnoException): BowlineError {
  switch (cause.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new BowlineError('BAD_REQUEST', 'The request did not arrive in time', { status: 408, cause })
    case 'HPE_HEADER_OVERFLOW': {
      const message = `The URL and the headers of the request exceed ${sizeText(maxHeaderSize)}`
      return new BowlineError('BAD_REQUEST', message, { status: 431, cause })
    }
    default:
      return new BowlineError('BAD_REQUEST', `The request is not valid HTTP/1.1: ${cause.message}`, { cause })
  }
}
