import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Minimum upload speed of request bodies. */
export interface BodyPace {
  /** Milliseconds between two checks of a body. */
  readonly windowMs: number
  /**
   * Minimum number of bytes between two checks, or a fiftieth of the bytes received before if that
   * is more.
   */
  readonly minBytes: number
  /** Milliseconds a client has to finish an unread body after the response. */
  readonly drainMs: number
}

const defaultPace: BodyPace = { windowMs: 20_000, minBytes: 20_000, drainMs: 2000 }

/**
 * Closes the connections of clients that send a body at less than 1 kB/s, or 1 kB/s for each
 * megabyte that has arrived, or that keep sending one after the response. Body length is not
 * limited here, and time during which the server applies backpressure does not count.
 */
export function guardBodies(app: FastifyInstance, pace: BodyPace = defaultPace): void {
  app.addHook('onRequest', async ({ raw }) => {
    const { headers } = raw
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) watch(raw, pace)
  })
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete) return
    // If the connection closed at once, the client could lose the response. Read and discard the
    // rest for a while.
    raw.resume()
    setTimeout(() => raw.complete || raw.socket.destroy(), pace.drainMs).unref()
  })
}

function watch(request: IncomingMessage, { windowMs, minBytes }: BodyPace): void {
  const { socket } = request
  const start = socket.bytesRead
  let before = start
  const timer = setInterval(() => {
    if (request.complete || socket.destroyed) {
      clearInterval(timer)
      return
    }
    const hasBackpressure = request.readableLength >= request.readableHighWaterMark
    const expected = Math.max(minBytes, (before - start) / 50)
    const isSlow = socket.bytesRead - before < expected && !hasBackpressure
    before = socket.bytesRead
    if (!isSlow) return
    clearInterval(timer)
    socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    socket.destroySoon()
  }, windowMs).unref()
  request.once('close', () => clearInterval(timer))
}
