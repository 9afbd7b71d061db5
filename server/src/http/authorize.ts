import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { serverRoutes } from 'bowline/contract/server-routes'
import { BowlineError } from 'bowline/kit/errors'
import type { Usage } from '../usage/open-usage.ts'
import type { Access, AccessChecks, Credentials } from './access-checks.ts'
import type { DenialLog } from './audit-denials.ts'
import { firstToken, type TokenQuery } from './first-token.ts'
import { originOf } from './request-origin.ts'
import { isRelayedTo } from './session-node.ts'

/** Dependencies of the authorization. */
export interface AuthorizeDeps extends Pick<Usage, 'checkRateLimit'> {
  readonly checks: AccessChecks
  readonly nodeId: string
  readonly logDenial: DenialLog
}

/** Returns the access that a request was granted. `auth` is that of its route. */
export type AccessOf = <Auth extends keyof Access>(request: FastifyRequest, auth: Auth) => Access[Auth]

/**
 * Authorizes each request as its route declares, before the handler runs. Keys are checked before
 * the body is read, and their calls count against the rate limit of the route. Tokens are in the
 * path, the query or the body, and are checked once these are parsed. Refuses to register routes
 * that do not declare `auth`.
 */
export function authorizeRequests(app: FastifyInstance, deps: AuthorizeDeps): AccessOf {
  const granted = new WeakMap<FastifyRequest, Partial<Access>>()
  const authorize = async (request: FastifyRequest, auth: keyof Access): Promise<void> => {
    granted.set(request, { [auth]: await deps.checks[auth](credentialsOf(request)) })
  }
  app.addHook('onRoute', assertDeclared)
  app.addHook('onRequest', async (request) => {
    const { auth } = request.routeOptions.config
    if (auth === undefined || !byHeaders.has(auth)) return
    await authorize(request, auth)
    const key = granted.get(request)?.key
    if (key !== undefined) await countCall(request, key, deps)
  })
  app.addHook('preHandler', async (request) => {
    const { auth } = request.routeOptions.config
    if (auth !== undefined && !byHeaders.has(auth)) await authorize(request, auth)
  })
  app.addHook('onResponse', async (request, { errorCode }) => {
    if (errorCode !== 'FORBIDDEN') return
    const { url: route = 'none' } = request.routeOptions
    const keyId = granted.get(request)?.key?.id
    deps.logDenial({ from: originOf(request.raw), keyId, method: request.method, route })
  })
  return (request, auth) => {
    const access = granted.get(request)
    if (access === undefined || !Object.hasOwn(access, auth)) throw new BowlineError('UNAUTHORIZED', 'Unauthorized')
    return access[auth] as Access[typeof auth]
  }
}

/** Pages of the API reference come from a plugin, which cannot declare anything. */
function assertDeclared({ url, config }: RouteOptions): void {
  const { path } = serverRoutes.apiReference
  if (config?.auth !== undefined || url === path || url.startsWith(`${path}/`)) return
  throw new Error(`The route ${url} does not declare how its callers are authorized`)
}

/** Kinds of authorization that need only the headers of a request. */
const byHeaders: ReadonlySet<keyof Access> = new Set(['none', 'key', 'optionalKey', 'adminKeyOrMetricsToken'])

async function countCall(
  request: FastifyRequest,
  key: Access['key'],
  { nodeId, checkRateLimit }: AuthorizeDeps,
): Promise<void> {
  const { rateLimit = 'unlimited' } = request.routeOptions.config
  // A session creation relayed by another server was already counted there.
  if (request.method === 'POST' && isRelayedTo(request.raw, nodeId)) return
  if (rateLimit !== 'unlimited') await checkRateLimit(key, rateLimit)
}

function credentialsOf(request: FastifyRequest): Credentials {
  const { authorization } = request.headers
  const params = { ...(request.params as Credentials['params']), ...request.routeOptions.config.fixedParams }
  return { authorization, from: originOf(request.raw), params, token: tokenOf(request) }
}

/** Returns the token in the path, the body or the query. `undefined` if none has one. */
function tokenOf({ params, body, query }: FastifyRequest): string | undefined {
  const { token: inPath } = params as { readonly token?: string }
  if (inPath !== undefined) return inPath
  const { token } = (body ?? {}) as { readonly token?: unknown }
  if (typeof token === 'string') return token
  return (query as TokenQuery).token === undefined ? undefined : firstToken(query as TokenQuery)
}
