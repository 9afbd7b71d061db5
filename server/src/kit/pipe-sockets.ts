import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/**
 * Joins two sockets until both directions have ended. Either one failing resets the other; back-pressure holds both ways.
 * What `right` sends goes through `filter` on its way, if there is one.
 */
export function pipeSockets(left: Duplex, right: Duplex, filter?: Duplex): void {
  pipeOneWay(left, right)
  if (filter === undefined) pipeOneWay(right, left)
  else {
    // It ends with `right`, and is over when it has passed on the rest.
    right.pipe(filter)
    right.on('error', () => reset(left))
    right.on('close', () => right.readableEnded || filter.destroy())
    pipeOneWay(filter, left)
  }
  // One that is gone already will not say so again.
  if (left.destroyed || right.destroyed) {
    left.destroy()
    right.destroy()
  }
}

function pipeOneWay(from: Duplex, into: Duplex): void {
  from.pipe(into)
  // A browser tells a connection that was reset from one that was closed.
  from.on('error', () => reset(into))
  // Whoever is gone takes nothing more, so the other one goes, too, once it has been given the rest.
  from.on('close', () => {
    if (from.readableEnded) into.end(() => into.destroy())
    else into.destroy()
  })
}

/** Destroys a socket, with a reset where there is one: TLS, pipes and closed sockets have none. */
function reset(socket: Duplex): void {
  const isTcp = socket instanceof Socket && !(socket instanceof TLSSocket) && socket.remoteFamily !== undefined
  if (isTcp && !socket.destroyed) socket.resetAndDestroy()
  else socket.destroy()
}
