import type { FastifyInstance } from 'fastify'
import { serverRoutes } from 'bowline/contract/server-routes'
import type { IsolationLayer } from '../../browsers/isolation.ts'
import type { BrowserBinary } from '../../browsers/find.ts'
import type { AccessOf } from '../authorize.ts'
import type { Readiness } from '../readiness.ts'
import { registerServerRoute } from '../register-route.ts'

/** Dependencies of the health routes. */
export interface HealthDeps {
  readonly readiness: Pick<Readiness, 'check'>
  readonly isolation: readonly IsolationLayer[]
  readonly binary: BrowserBinary
  readonly accessOf: AccessOf
}

/** Registers liveness, readiness, and the path that public clients probe. */
export function registerHealth(app: FastifyInstance, deps: HealthDeps): void {
  const { readiness, isolation, accessOf } = deps
  const { path, kind, version } = deps.binary
  registerServerRoute(app, 'probe', { handler: async () => 'OK' })
  registerServerRoute(app, 'liveness', { handler: async () => ({ status: 'ok' }) })
  registerServerRoute(app, 'readiness', {
    handler: async (request, reply) => {
      const checks = await readiness.check()
      const { status, reasons, store, pool, sessions } = checks
      // Without a key: enough for a load balancer, and nothing that helps an attacker.
      const summary = {
        status,
        reasons,
        store: { state: store.state, isWritable: store.isWritable },
        pool: { isWarm: pool.isWarm },
        sessions: { isDraining: sessions.isDraining },
      }
      const hasKey = accessOf(request, serverRoutes.readiness.auth) !== undefined
      const body = hasKey ? { ...checks, browser: { path, kind, version }, layers: isolation } : summary
      return reply.code(reasons.length === 0 ? 200 : 503).send(body)
    },
  })
}
