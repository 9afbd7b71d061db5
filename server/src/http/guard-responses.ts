import type { FastifyInstance } from 'fastify'

/** Milliseconds without progress after which the connection of an unread response is closed. */
const unreadTimeoutMs = 60_000

/**
 * Closes the connections of clients that stop reading a response, which stays in memory until they
 * do. Node.js counts each byte that the system accepts as progress, and time before the first byte
 * or between two events does not count.
 */
export function guardResponses(app: FastifyInstance, timeoutMs: number = unreadTimeoutMs): void {
  app.addHook('onRequest', async (_request, { raw }) => {
    raw.setTimeout(timeoutMs, () => {
      const { socket } = raw
      if (socket !== null && socket.writableLength > 0) socket.destroy()
    })
  })
}
