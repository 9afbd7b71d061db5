import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BowlineError } from 'bowline/kit/errors'
import type { KeyRow } from '../teams/key-queries.ts'
import type { Usage } from '../usage/open-usage.ts'
import type { Authenticator } from './auth.ts'
import { isRelayedTo } from './session-node.ts'

/** Dependencies of authentication. */
export interface AuthenticateCallsDeps extends Pick<Usage, 'checkRateLimit'> {
  readonly authenticator: Authenticator
  readonly nodeId: string
}

/**
 * Authenticates the calls of routes that require an API key, before their body is read, and counts
 * them against the rate limit of the route. Returns a function that returns the key of such a call.
 */
export function authenticateCalls(
  app: FastifyInstance,
  { authenticator, nodeId, checkRateLimit }: AuthenticateCallsDeps,
): (request: FastifyRequest) => KeyRow {
  const callers = new WeakMap<FastifyRequest, KeyRow>()
  app.addHook('onRequest', async (request) => {
    const { auth, rateLimit = 'unlimited' } = request.routeOptions.config
    if (auth !== 'key') return
    const key = await authenticator.authenticate(request.headers.authorization, request.ip)
    callers.set(request, key)
    // A session creation relayed by another server was already counted there.
    if (request.method === 'POST' && isRelayedTo(request.raw, nodeId)) return
    if (rateLimit !== 'unlimited') await checkRateLimit(key, rateLimit)
  })
  return (request) => {
    const key = callers.get(request)
    if (key === undefined) throw new BowlineError('UNAUTHORIZED', 'Unauthorized')
    return key
  }
}
