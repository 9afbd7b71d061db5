import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/**
 * Pipes two sockets into each other until both directions have ended, with back-pressure. If one
 * fails, the other is reset. Data from `right` to `left` passes through `filter`, if given.
 */
export function pipeSockets(left: Duplex, right: Duplex, filter?: Duplex): void {
  pipeOneWay(left, right)
  if (filter === undefined) pipeOneWay(right, left)
  else {
    // The filter ends with `right` and closes once it has flushed.
    right.pipe(filter)
    right.on('error', () => reset(left))
    right.on('close', () => right.readableEnded || filter.destroy())
    pipeOneWay(filter, left)
  }
  // A socket that is already destroyed emits no further `close`.
  if (left.destroyed || right.destroyed) {
    left.destroy()
    right.destroy()
  }
}

function pipeOneWay(from: Duplex, into: Duplex): void {
  from.pipe(into)
  // Browsers report a reset differently from a close, so pass it on.
  from.on('error', () => reset(into))
  // A closed socket accepts no more data: close the other one once it has received the rest.
  from.on('close', () => {
    if (from.readableEnded) into.end(() => into.destroy())
    else into.destroy()
  })
}

/** Destroys a socket, with a TCP reset where possible (not for TLS, pipes and closed sockets). */
function reset(socket: Duplex): void {
  const isTcp = socket instanceof Socket && !(socket instanceof TLSSocket) && socket.remoteFamily !== undefined
  if (isTcp && !socket.destroyed) socket.resetAndDestroy()
  else socket.destroy()
}
