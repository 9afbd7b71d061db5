import type { FastifyInstance } from 'fastify'
import type { MetricRecorder } from '../metrics/metrics.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Code of the error that was sent. `undefined`: the request succeeded. */
    errorCode: string | undefined
  }
}

/** Sends the request id with every response. Records and logs every response. */
export function recordRequests(app: FastifyInstance, metrics: MetricRecorder): void {
  app.decorateReply('errorCode', undefined)
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method } = request
    const route = request.routeOptions.url ?? 'none'
    const { statusCode: status, elapsedTime: ms, errorCode: code } = reply
    metrics.observe('bowline_request_seconds', { method, route, status: String(status) }, ms / 1000)
    if (code !== undefined) metrics.increment('bowline_request_errors_total', { code })
    request.log.debug({ method, route, status, ms: Math.round(ms) }, 'request completed')
  })
}
