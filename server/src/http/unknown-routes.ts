import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BowlineError } from 'bowline/kit/errors'
import { findMissingRoute } from './public-routes.ts'

/** Rejects unknown routes before their body is read. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw routeNotFound(request)
  })
}

/**
 * Creates the error for an unknown route. For those of the public service it is not 404, which some
 * of its clients take for an ended session: they would create another one, and be billed for it.
 */
export function routeNotFound(request: FastifyRequest): BowlineError {
  const missing = findMissingRoute(pathOf(request))
  if (missing !== undefined) {
    return new BowlineError('NOT_IMPLEMENTED', `This server does not ${missing.does}`, { hint: missing.instead })
  }
  return new BowlineError('ROUTE_NOT_FOUND', `No route matches ${request.method} ${pathOf(request)}`)
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? '/'
}
