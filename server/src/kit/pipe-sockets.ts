import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/**
 * Pipes two sockets into each other until both directions have ended, with back-pressure. If one
 * fails, the other is reset. Data from `right` to `left` passes through `filter`, if given.
 */
export function pipeSockets(left: Duplex, right: Duplex, filter?: Duplex): void {
  readAfterFailedWrites(left)
  readAfterFailedWrites(right)
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

/**
 * Drops what can no longer be written to a socket until it has been read to its end. A site can
 * respond before an upload has ended and then close its connection: a failed write would destroy
 * the socket with the response unread.
 */
export function readAfterFailedWrites(socket: Duplex): void {
  if (!(socket instanceof Socket)) return
  let failure: Error | undefined
  const guard =
    (done: Done): Done =>
    (error) => {
      if (error === undefined || error === null || socket.readableEnded) return done(error)
      failure = error
      socket.once('end', () => socket.destroy(error))
      done()
    }
  const write = socket._write.bind(socket)
  const writev = socket._writev?.bind(socket)
  socket._write = (chunk, encoding, done: Done) =>
    failure === undefined ? write(chunk, encoding, guard(done)) : done()
  if (writev === undefined) return
  socket._writev = (chunks, done: Done) => (failure === undefined ? writev(chunks, guard(done)) : done())
}

type Done = (error?: Error | null) => void

/**
 * Destroys a socket, with a TCP reset where possible (not for TLS, pipes and closed sockets). A
 * socket that is being ended sends the rest first: Node cannot reset it before.
 */
export function reset(socket: Duplex): void {
  const isTcp = socket instanceof Socket && !(socket instanceof TLSSocket) && socket.remoteFamily !== undefined
  if (!isTcp || socket.destroyed) socket.destroy()
  else if (socket.writableEnded && !socket.writableFinished) socket.once('finish', () => reset(socket))
  else socket.resetAndDestroy()
}
