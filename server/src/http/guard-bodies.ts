import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** How slowly a body may come. */
export interface BodyPace {
  /** Milliseconds between two looks at a body. */
  readonly windowMs: number
  /** Bytes that have to come between two looks. */
  readonly minBytes: number
  /** Milliseconds that a client has to finish a body that nobody reads, once it was answered. */
  readonly drainMs: number
}

const defaultPace: BodyPace = { windowMs: 20_000, minBytes: 20_000, drainMs: 2000 }

/**
 * Closes the connections of clients that send a body at less than 1 kB a second, and of those that go on sending one after
 * their answer. Bodies of any length may come, and what waits for the server is not held against the client.
 */
export function guardBodies(app: FastifyInstance, pace: BodyPace = defaultPace): void {
  app.addHook('onRequest', async ({ raw }) => {
    const { headers } = raw
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) watch(raw, pace)
  })
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete) return
    // Cut at once, the client might lose the answer; it is read up to here, and thrown away.
    raw.resume()
    setTimeout(() => raw.complete || raw.socket.destroy(), pace.drainMs).unref()
  })
}

function watch(request: IncomingMessage, { windowMs, minBytes }: BodyPace): void {
  const { socket } = request
  let before = socket.bytesRead
  const timer = setInterval(() => {
    if (request.complete || socket.destroyed) {
      clearInterval(timer)
      return
    }
    const isWaitingForUs = request.readableLength >= request.readableHighWaterMark
    const isSlow = socket.bytesRead - before < minBytes && !isWaitingForUs
    before = socket.bytesRead
    if (!isSlow) return
    clearInterval(timer)
    socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    socket.destroySoon()
  }, windowMs).unref()
  request.once('close', () => clearInterval(timer))
}
