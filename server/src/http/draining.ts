import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { BowlineError } from 'bowline/kit/errors'
import { failureBody } from './errors.ts'

/** Seconds after which a client that was turned away should try again: another server has taken over by then. */
const retryAfterSeconds = 5

/** Requests that begin no work; they are answered until the end. */
const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE'])

/** Milliseconds that answers under way get after the drain's limit, or when the drain had nothing to wait for. */
const lastAnswersMs = 1000

/** The end of an HTTP server that leaves no request without an answer. */
export interface RequestDrain {
  /** Waits until the requests under way are answered. Those that are not after `limitMs` are answered with DRAINING. */
  readonly settle: (limitMs: number) => Promise<void>
  /** Closes the listener and every connection. */
  readonly close: () => Promise<void>
}

/** Once `draining` aborts, connections are closed after the answer under way, and new work is refused with DRAINING. */
export function drainRequests(app: FastifyInstance, draining: AbortSignal): RequestDrain {
  const open = new Map<FastifyReply, Promise<void>>()
  app.addHook('onRequest', async (request, reply) => {
    if (draining.aborted) {
      reply.raw.setHeader('connection', 'close')
      if (!readMethods.has(request.method)) throw shuttingDown()
    }
    const closed = Promise.withResolvers<void>()
    open.set(reply, closed.promise)
    reply.raw.once('close', () => {
      open.delete(reply)
      closed.resolve()
    })
  })
  draining.addEventListener('abort', () => {
    for (const { raw } of open.keys()) if (!raw.headersSent) raw.setHeader('connection', 'close')
  })
  return {
    settle: async (limitMs) => {
      const limit = new AbortController()
      const late = sleep(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)
      await Promise.race([Promise.all(open.values()), late])
      limit.abort()
      for (const reply of open.keys()) refuse(reply)
    },
    close: async () => {
      const timer = setTimeout(() => app.server.closeAllConnections(), lastAnswersMs)
      await app.close()
      clearTimeout(timer)
    },
  }
}

/** The error for work that a server no longer takes on. */
export function shuttingDown(): BowlineError {
  return new BowlineError('DRAINING', 'This server is shutting down', { retryAfterSeconds })
}

/** Answers a request whose handler takes too long. */
function refuse(reply: FastifyReply): void {
  if (reply.raw.headersSent || readMethods.has(reply.request.method)) return
  reply.hijack()
  const error = shuttingDown()
  reply.raw.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'retry-after': String(retryAfterSeconds),
    connection: 'close',
  })
  reply.raw.end(JSON.stringify(failureBody(error, reply.request.id)))
}
