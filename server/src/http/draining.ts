import { sleep } from 'bowline/kit/sleep'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { BowlineError } from 'bowline/kit/errors'
import { drainingError, drainRetrySeconds } from '../sessions/draining-error.ts'
import { failureBody } from './errors.ts'

/** Methods that start no work. Their requests are served until the server closes. */
const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE'])

/**
 * Milliseconds that pending responses get after the drain's limit, or when there was nothing to
 * drain.
 */
const closeTimeoutMs = 1000

/** Milliseconds between the last responses and the end of their connections. */
const sendTimeoutMs = 200

/** Graceful shutdown of an HTTP server, in which every request gets a response. */
export interface RequestDrain {
  /** Waits for pending requests. After `limitMs`, all but reads are refused with DRAINING. */
  readonly waitForPending: (limitMs: number) => Promise<void>
  /** Closes the listener and every connection. Pending requests are refused with DRAINING. */
  readonly close: () => Promise<void>
}

/**
 * Tracks pending requests. Once `draining` aborts, new work is rejected with DRAINING, and each
 * connection closes after its current response. The error names the number of other servers.
 */
export function trackRequests(
  app: FastifyInstance,
  draining: AbortSignal,
  countOtherServers: () => Promise<number>,
): RequestDrain {
  let otherServers: number | undefined
  const open = new Map<FastifyReply, Promise<void>>()
  app.addHook('onRequest', async (request, reply) => {
    if (draining.aborted) {
      reply.raw.setHeader('connection', 'close')
      if (!readMethods.has(request.method)) throw drainingError(otherServers)
    }
    const closed = Promise.withResolvers<void>()
    open.set(reply, closed.promise)
    reply.raw.once('close', () => {
      open.delete(reply)
      closed.resolve()
    })
  })
  draining.addEventListener('abort', () => {
    // Responses do not wait for it: the store may be unavailable.
    countOtherServers().then(
      (count) => {
        otherServers = count
      },
      () => undefined,
    )
    for (const { raw } of open.keys()) if (!raw.headersSent) raw.setHeader('connection', 'close')
  })
  return {
    waitForPending: async (limitMs) => {
      const limit = new AbortController()
      // Rejects when all requests have ended.
      const late = sleep(limitMs, limit.signal).catch(() => undefined)
      await Promise.race([Promise.all(open.values()), late])
      limit.abort()
      for (const reply of open.keys()) {
        if (!readMethods.has(reply.request.method)) refuse(reply, drainingError(otherServers))
      }
    },
    close: async () => {
      let timer = setTimeout(() => {
        for (const reply of open.keys()) refuse(reply, drainingError(otherServers))
        // The responses have to be sent first.
        timer = setTimeout(() => app.server.closeAllConnections(), sendTimeoutMs)
      }, closeTimeoutMs)
      await app.close()
      clearTimeout(timer)
    },
  }
}

/** Responds with DRAINING to a request whose handler takes too long. */
function refuse(reply: FastifyReply, error: BowlineError): void {
  if (reply.raw.headersSent) return
  reply.hijack()
  reply.raw.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'retry-after': String(drainRetrySeconds),
    connection: 'close',
  })
  reply.raw.end(JSON.stringify(failureBody(error, reply.request.id)))
}
