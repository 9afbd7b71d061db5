import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serverRoutes } from 'bowline/contract/server-routes'
import { addressesOf } from 'bowline/contract/fill-path'
import { requestAttributes, runAs, type Work } from '../kit/current-work.ts'
import type { Span, Tracer } from '../kit/span.ts'

/**
 * Makes what a request starts part of its work: log lines get its id, and with a tracer its steps
 * are traced. Continues the trace of a client that sends `traceparent`.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer | undefined): void {
  const works = new WeakMap<FastifyRequest, Work>()
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url
    const span =
      tracer && !isProbe(route) ? startRequestSpan(tracer, request.raw, { route, requestId: request.id }) : undefined
    const work = { requestId: request.id, span }
    works.set(request, work)
    // Also emitted for clients that have disconnected, and for responses of other servers.
    if (span !== undefined) reply.raw.once('close', () => endRequestSpan(span, reply))
    runAs(work, done)
  })
  // The body is read in events of the connection, which other requests share.
  app.addHook('preValidation', (request, _reply, done) => {
    const work = works.get(request)
    if (work === undefined) done()
    else runAs(work, done)
  })
}

/** Starts the span of a request. `route` is the pattern of its path, without ids and tokens. */
export function startRequestSpan(
  tracer: Tracer,
  { method = 'GET', headers }: IncomingMessage,
  options: {
    readonly route: string | undefined
    readonly requestId: string
    /** Trace to continue if the client has none. */
    readonly session?: string | undefined
  },
): Span {
  const { route, requestId, session } = options
  const { traceparent } = headers
  const parent = typeof traceparent === 'string' ? traceparent : session
  return tracer.start(route === undefined ? method : `${method} ${route}`, {
    kind: 'server',
    parent,
    link: parent === session ? undefined : session,
    attributes: {
      'http.request.method': method,
      ...(route === undefined ? {} : { 'http.route': route }),
      ...requestAttributes(requestId),
    },
  })
}

function endRequestSpan(span: Span, { raw, errorCode }: FastifyReply): void {
  const { statusCode: status, writableFinished } = raw
  span.setAttributes({
    'http.response.status_code': status,
    ...(writableFinished ? {} : { 'bowline.response.aborted': true }),
    ...(errorCode === undefined ? {} : { 'error.type': errorCode }),
  })
  if (status >= 500) span.fail(errorCode ?? String(status))
  span.end()
}

const probes: ReadonlySet<string> = new Set(
  [serverRoutes.liveness, serverRoutes.readiness, serverRoutes.probe, serverRoutes.metrics].flatMap((route) =>
    addressesOf(route).map(({ path }) => path),
  ),
)

/** Whether a route is called every few seconds by the operator's own tools. */
function isProbe(route: string | undefined): boolean {
  return route !== undefined && probes.has(route)
}
