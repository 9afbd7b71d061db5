import type { FastifyInstance } from 'fastify'
import { serverRoutes } from 'bowline/contract/server-routes'
import type { BrowserPool } from '../../browsers/pool.ts'
import type { IsolationLayer } from '../../browsers/isolation.ts'
import type { BrowserBinary } from '../../browsers/find.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { Store } from '../../store/store.ts'
import type { WriteHealth } from '../../store/write-health.ts'
import { readDisk, reasonsNotReady } from '../readiness.ts'
import type { AccessOf } from '../authorize.ts'
import { registerServerRoute } from '../register-route.ts'

/** Dependencies of the health routes. */
export interface HealthDeps {
  readonly store: Store
  readonly browsers: BrowserPool
  readonly sessions: Sessions
  readonly isolation: readonly IsolationLayer[]
  readonly binary: BrowserBinary
  readonly dataDir: string
  /** Results of this node's heartbeats, each of which writes to the store. */
  readonly writes: WriteHealth
  readonly accessOf: AccessOf
  /** Resolves once the server has started successfully. */
  readonly whenStarted: Promise<void>
}

/** Milliseconds the store has to respond to a readiness probe. */
const pingTimeoutMs = 2000

/** Registers liveness, readiness, and the path that public clients probe. */
export function registerHealth(app: FastifyInstance, deps: HealthDeps): void {
  let hasStarted = false
  void deps.whenStarted.then(() => {
    hasStarted = true
  })
  let isWarm = false
  void deps.browsers.whenWarm.then(() => {
    isWarm = true
  })

  const readiness = async () => {
    const store = await deps.store.ping(AbortSignal.timeout(pingTimeoutMs)).then(
      () => 'open' as const,
      () => 'unreachable' as const,
    )
    // If it cannot be read, the disk is left out.
    const disk = await readDisk(deps.dataDir).catch(() => undefined)
    const { binary, sessions } = deps
    const { isDraining } = sessions
    const areWritesFailing = deps.writes.isFailing
    const reasons = reasonsNotReady({
      isStoreOpen: store === 'open',
      areWritesFailing,
      disk,
      isWarm: isWarm && hasStarted,
      isDraining,
    })
    return {
      status: reasons.length === 0 ? 'ok' : 'unavailable',
      reasons,
      browser: { path: binary.path, kind: binary.kind, version: binary.version },
      store: { kind: deps.store.kind, state: store, isWritable: store === 'open' && !areWritesFailing },
      disk,
      pool: { ...deps.browsers.stats(), isWarm },
      sessions: { live: sessions.liveSessions, max: sessions.maxSessions, isDraining },
      layers: deps.isolation,
    }
  }

  registerServerRoute(app, 'probe', { handler: async () => 'OK' })
  registerServerRoute(app, 'liveness', { handler: async () => ({ status: 'ok' }) })
  registerServerRoute(app, 'readiness', {
    handler: async (request, reply) => {
      const checks = await readiness()
      const { status, reasons, store, pool, sessions } = checks
      // Without a key: enough for a load balancer, and nothing that helps an attacker.
      const summary = {
        status,
        reasons,
        store: { state: store.state, isWritable: store.isWritable },
        pool: { isWarm: pool.isWarm },
        sessions: { isDraining: sessions.isDraining },
      }
      const hasKey = deps.accessOf(request, serverRoutes.readiness.auth) !== undefined
      return reply.code(reasons.length === 0 ? 200 : 503).send(hasKey ? checks : summary)
    },
  })
}
